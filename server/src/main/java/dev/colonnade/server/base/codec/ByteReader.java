package dev.colonnade.server.base.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Decodes a range of an untrusted byte array. Every read is checked against what remains; every
 * length is checked against what remains and against the caller's maximum before memory is
 * allocated for it. Each method throws {@link CorruptDataException} for bytes that break this, with
 * the offset counted from the start of the range.
 *
 * <p>One thread at a time. The array must not change while it is read.
 */
public final class ByteReader {
  private static final byte[] NOTHING = {};

  private byte[] bytes;
  private int start;
  private int position;
  private int limit;

  /** Reads all of {@code bytes}. */
  public ByteReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** Reads {@code length} bytes of {@code bytes} from {@code offset} on. */
  public ByteReader(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.start = offset;
    this.position = offset;
    this.limit = offset + length;
  }

  /** Starts over on another range, so that a loop needs one reader only. */
  public void reset(byte[] newBytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, newBytes.length);
    bytes = newBytes;
    start = offset;
    position = offset;
    limit = offset + length;
  }

  /** A byte, 0 to 255. */
  public int readByte() throws CorruptDataException {
    need(1, "a byte");
    return bytes[position++] & 0xFF;
  }

  /** Four bytes. */
  public int readInt() throws CorruptDataException {
    need(4, "a 32-bit number");
    int value = FixedWidth.getInt(bytes, position);
    position += 4;
    return value;
  }

  /** Eight bytes. */
  public long readLong() throws CorruptDataException {
    need(8, "a 64-bit number");
    long value = FixedWidth.getLong(bytes, position);
    position += 8;
    return value;
  }

  /**
   * An unsigned number of one to ten bytes, in the only form that {@link ByteWriter#writeVarint}
   * produces.
   */
  public long readVarint() throws CorruptDataException {
    if (position < limit && bytes[position] >= 0) {
      return bytes[position++];
    }
    int from = position;
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1, "a variable-length number");
      int next = bytes[position++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        if (next == 0 || (shift == 63 && next > 1)) {
          throw corrupt(from, "a variable-length number", "its shortest form", "another");
        }
        return value;
      }
    }
    throw corrupt(from, "a variable-length number", "at most 10 bytes", "more");
  }

  /** A signed number of one to ten bytes. */
  public long readSignedVarint() throws CorruptDataException {
    long zigzag = readVarint();
    return (zigzag >>> 1) ^ -(zigzag & 1);
  }

  /** A varint from 0 to {@code max}, which is not a length of anything that follows. */
  public int readVarint(String what, int max) throws CorruptDataException {
    int from = position;
    long value = readVarint();
    if (value < 0 || value > max) {
      throw corrupt(from, what, "0 to " + max, Long.toUnsignedString(value));
    }
    return (int) value;
  }

  /**
   * A varint that gives the number of following bytes or elements: at most {@code max}, and at most
   * the bytes that remain, since nothing takes less than a byte.
   */
  public int readLength(String what, int max) throws CorruptDataException {
    int from = position;
    long length = readVarint();
    if (length < 0 || length > max) {
      throw corrupt(from, what, "at most " + max, Long.toUnsignedString(length));
    }
    if (length > remaining()) {
      throw corrupt(from, what, "at most the " + remaining() + " bytes that remain", "" + length);
    }
    return (int) length;
  }

  /** A copy of the next {@code length} bytes. */
  public byte[] readRaw(int length) throws CorruptDataException {
    need(length, "bytes");
    if (length == 0) {
      return NOTHING;
    }
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** A copy of at most {@code max} bytes that were written with their length. */
  public byte[] readBytes(String what, int max) throws CorruptDataException {
    return readRaw(readLength(what, max));
  }

  /** Text in UTF-8 written with its length of at most {@code maxBytes}. */
  public String readText(String what, int maxBytes) throws CorruptDataException {
    int length = readLength(what, maxBytes);
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, position, length))
              .toString();
      position += length;
      return text;
    } catch (CharacterCodingException notText) {
      CorruptDataException corrupt = corrupt(position, what, "text in UTF-8", "other bytes");
      corrupt.initCause(notText);
      throw corrupt;
    }
  }

  /**
   * A reader of the next {@code length} bytes, which this one skips. Offsets in its errors begin at
   * 0 again.
   */
  public ByteReader slice(int length) throws CorruptDataException {
    need(length, "bytes");
    ByteReader slice = new ByteReader(bytes, position, length);
    position += length;
    return slice;
  }

  /** Skips {@code length} bytes. */
  public void skip(int length) throws CorruptDataException {
    need(length, "bytes");
    position += length;
  }

  /** How many bytes are left. */
  public int remaining() {
    return limit - position;
  }

  /** Whether any byte is left. */
  public boolean hasRemaining() {
    return position < limit;
  }

  /** How many bytes have been read. */
  public int position() {
    return position - start;
  }

  /** Goes to an offset in the range, 0 to its length. */
  public void position(int offset) throws CorruptDataException {
    if (offset < 0 || offset > limit - start) {
      throw corrupt(position, "a position", "0 to " + (limit - start), "" + offset);
    }
    position = start + offset;
  }

  /** The array being read; the next byte is at {@link #arrayPosition}. Not to be changed. */
  public byte[] array() {
    return bytes;
  }

  /** The index of the next byte in {@link #array}. */
  public int arrayPosition() {
    return position;
  }

  /** Refuses bytes that are left over. */
  public void expectEnd(String what) throws CorruptDataException {
    if (position != limit) {
      throw corrupt(position, what, "its end", remaining() + " more bytes");
    }
  }

  /** Returns an exception for damage at the current position, for checks that the caller makes. */
  public CorruptDataException corrupt(String what, String expected, String found) {
    return corrupt(position, what, expected, found);
  }

  private CorruptDataException corrupt(int at, String what, String expected, String found) {
    return new CorruptDataException(what, at - start, expected, found);
  }

  private void need(int length, String what) throws CorruptDataException {
    if (length < 0 || length > limit - position) {
      throw corrupt(position, what, length + " bytes", remaining() + " remaining");
    }
  }
}
