package dev.colonnade.server.base.codec;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Encodes into a byte array that grows as needed and is kept for reuse by {@link #reset}. The
 * counterpart of {@link ByteReader}.
 *
 * <p>One thread at a time.
 */
public final class ByteWriter {
  private static final int MAX_CAPACITY = Integer.MAX_VALUE - 8;

  private byte[] bytes;
  private int position;

  /** A writer with room for {@code capacity} bytes before it first grows. */
  public ByteWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Writes the low eight bits of {@code value}. */
  public void writeByte(int value) {
    ensure(1);
    bytes[position++] = (byte) value;
  }

  /** Writes the low sixteen bits of {@code value}, big-endian. */
  public void writeShort(int value) {
    ensure(2);
    bytes[position] = (byte) (value >>> 8);
    bytes[position + 1] = (byte) value;
    position += 2;
  }

  /** Writes four bytes, big-endian. */
  public void writeInt(int value) {
    ensure(4);
    FixedWidth.putInt(bytes, position, value);
    position += 4;
  }

  /** Writes eight bytes, big-endian. */
  public void writeLong(long value) {
    ensure(8);
    FixedWidth.putLong(bytes, position, value);
    position += 8;
  }

  /** Writes {@code value}, taken as unsigned, in one to ten bytes; small values are short. */
  public void writeVarint(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[position++] = (byte) rest;
  }

  /** Writes {@code value} in one to ten bytes; values near zero, of either sign, are short. */
  public void writeSignedVarint(long value) {
    writeVarint((value << 1) ^ (value >> 63));
  }

  /** Writes the bytes as they are, without a length. */
  public void writeRaw(byte[] source) {
    writeRaw(source, 0, source.length);
  }

  /** Writes a range of bytes as they are, without a length. */
  public void writeRaw(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    ensure(length);
    System.arraycopy(source, offset, bytes, position, length);
    position += length;
  }

  /**
   * Writes the buffer's remaining bytes as they are, without a length, and leaves its position
   * alone.
   */
  public void writeRaw(ByteBuffer source) {
    int length = source.remaining();
    ensure(length);
    source.get(source.position(), bytes, position, length);
    position += length;
  }

  /** Writes the length as a varint, then the bytes. */
  public void writeBytes(byte[] source) {
    writeBytes(source, 0, source.length);
  }

  /** Writes the length as a varint, then that range of bytes. */
  public void writeBytes(byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    writeVarint(length);
    writeRaw(source, offset, length);
  }

  /** Writes the length in bytes as a varint, then the text in UTF-8. */
  public void writeText(String text) {
    writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  /** How many bytes have been written since the last {@link #reset}. */
  public int position() {
    return position;
  }

  /** Leaves {@code length} bytes free, to be filled later, and returns where they begin. */
  public int reserve(int length) {
    ensure(length);
    int start = position;
    Arrays.fill(bytes, start, start + length, (byte) 0);
    position += length;
    return start;
  }

  /** Overwrites four bytes written or reserved before. */
  public void patchInt(int at, int value) {
    Objects.checkFromIndexSize(at, 4, position);
    FixedWidth.putInt(bytes, at, value);
  }

  /** Overwrites eight bytes written or reserved before. */
  public void patchLong(int at, long value) {
    Objects.checkFromIndexSize(at, 8, position);
    FixedWidth.putLong(bytes, at, value);
  }

  /** Discards everything written; the array stays. */
  public void reset() {
    position = 0;
  }

  /** Discards everything written after the first {@code length} bytes. */
  public void truncate(int length) {
    Objects.checkIndex(length, position + 1);
    position = length;
  }

  /** Releases the array if it has grown past {@code capacity}; discards what was written. */
  public void resetAndShrink(int capacity) {
    position = 0;
    if (bytes.length > capacity) {
      bytes = new byte[capacity];
    }
  }

  /** The array written into: valid from 0 to {@link #position}, and only until the next call. */
  public byte[] array() {
    return bytes;
  }

  /** What was written, as a view that is valid until the next call. */
  public ByteBuffer asByteBuffer() {
    return ByteBuffer.wrap(bytes, 0, position);
  }

  /** A copy of what was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, position);
  }

  /** The CRC32C of the bytes from {@code from} to {@link #position}. */
  public int checksumFrom(int from) {
    return Checksums.crc32c(bytes, from, position - from);
  }

  private void ensure(int more) {
    if (bytes.length - position < more) {
      grow(more);
    }
  }

  private void grow(int more) {
    long needed = (long) position + more;
    if (needed > MAX_CAPACITY) {
      throw new IllegalStateException(
          "a buffer of " + needed + " bytes was asked for; the limit is " + MAX_CAPACITY);
    }
    long doubled = Math.min(MAX_CAPACITY, Math.max(64L, 2L * bytes.length));
    bytes = Arrays.copyOf(bytes, (int) Math.max(needed, doubled));
  }
}
