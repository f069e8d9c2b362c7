package dev.colonnade.server.service.rpc;

import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes in the making, as a list of arrays: it grows without copying what it holds. The arrays grow
 * with the content and stay far below half a region of the garbage collector's heap, so that none
 * of them is humongous. For one thread at a time.
 */
final class ByteChunks {

  private static final int CHUNK_BYTES_MIN = 1 << 10;
  private static final int CHUNK_BYTES_MAX = 64 << 10;

  /** Longer arrays are referred to, as far as most of them is wanted; all else is copied. */
  private static final int COPIED_BYTES_MAX = 8 << 10;

  /** Longer lists are taken over with their arrays, whose ends stay unused; others are copied. */
  private static final int COPIED_LIST_BYTES_MAX = 32 << 10;

  private static final byte[] NOTHING = new byte[0];

  /** The low bits of a field's tag that say that a length and that many bytes follow. */
  private static final int LENGTH_DELIMITED = 2;

  private static final int TYPE_BITS = 3;

  /** A part of an array. */
  private static final class ArrayPart {
    final byte[] bytes;
    final int from;
    final int to;

    ArrayPart(byte[] bytes, int from, int to) {
      this.bytes = bytes;
      this.from = from;
      this.to = to;
    }
  }

  private final List<ArrayPart> pieces = new ArrayList<>(2);

  /** The bytes of {@link #pieces}. */
  private long before;

  private long heapBytes;

  private byte[] chunk = NOTHING;
  private int from;
  private int at;

  /** Starts empty. */
  ByteChunks() {}

  /**
   * Starts empty in what is left of another one's last array, so that many short lists share one.
   * What is added to the other one later goes to a new array.
   */
  static ByteChunks behind(ByteChunks other) {
    ByteChunks next = new ByteChunks();
    other.closePiece();
    next.chunk = other.chunk;
    next.from = other.at;
    next.at = other.at;
    other.chunk = NOTHING;
    other.from = 0;
    other.at = 0;
    return next;
  }

  /** How many bytes were added. */
  long size() {
    return before + at - from;
  }

  /** The heap that its arrays take, including room that is not used. */
  long heapBytes() {
    return heapBytes;
  }

  /** The tag of a field that has a length. */
  static int tag(int field) {
    return (field << TYPE_BITS) | LENGTH_DELIMITED;
  }

  /** The encoded size of a field that has a length, without the bytes of its tag. */
  static int sizeWithLength(long length) {
    return (int) (CodedOutputStream.computeUInt64SizeNoTag(length) + length);
  }

  /** Adds a number in protobuf's variable length. */
  void varint(long value) {
    if ((value & ~0x7fL) == 0) {
      room(1);
      chunk[at++] = (byte) value;
      return;
    }
    room(CodedOutputStream.computeUInt64SizeNoTag(value));
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      chunk[at++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    chunk[at++] = (byte) rest;
  }

  /** Adds an array, which must not be changed any more: a long one is not copied. */
  void bytes(byte[] array) {
    bytes(array, 0, array.length);
  }

  private void bytes(byte[] array, int offset, int length) {
    // A value out of a block of many would keep all of the block in memory, uncounted.
    if (length > COPIED_BYTES_MAX && length > array.length / 2) {
      closePiece();
      pieces.add(new ArrayPart(array, offset, offset + length));
      before += length;
      heapBytes += length;
    } else {
      copy(array, offset, length);
    }
  }

  /** Adds a field of bytes. */
  void field(int tag, byte[] array) {
    field(tag, array, 0, array.length);
  }

  /** Adds a field of bytes that are part of an array, which must not be changed any more. */
  void field(int tag, byte[] array, int offset, int length) {
    varint(tag);
    varint(length);
    bytes(array, offset, length);
  }

  /** Takes over what another one holds, without a copy. It must not be used any more. */
  void take(ByteChunks other) {
    closePiece();
    other.closePiece();
    pieces.addAll(other.pieces);
    before += other.before;
    heapBytes += other.heapBytes;
    if (other.chunk.length - other.at > chunk.length - at) {
      chunk = other.chunk;
      from = other.at;
      at = other.at;
    }
  }

  /** Adds what another one holds. The other one must not be used any more, except to clear it. */
  void append(ByteChunks other) {
    if (other.size() <= COPIED_LIST_BYTES_MAX) {
      other.pieces.forEach(piece -> copy(piece.bytes, piece.from, piece.to - piece.from));
      copy(other.chunk, other.from, other.at - other.from);
      return;
    }
    closePiece();
    pieces.addAll(other.pieces);
    before += other.before;
    heapBytes += other.heapBytes;
    chunk = other.chunk;
    from = other.from;
    at = other.at;
    other.chunk = NOTHING;
    other.from = 0;
    other.at = 0;
    other.clear();
  }

  /** Removes everything; keeps one array for what is added next, if it has one of its own. */
  void clear() {
    pieces.clear();
    before = 0;
    at = 0;
    from = 0;
    heapBytes = chunk.length;
  }

  private void copy(byte[] source, int start, int length) {
    room(length);
    System.arraycopy(source, start, chunk, at, length);
    at += length;
  }

  private void room(int bytes) {
    if (bytes > chunk.length - at) {
      closePiece();
      long wanted = Math.max(CHUNK_BYTES_MIN, Math.min(CHUNK_BYTES_MAX, before));
      chunk = new byte[(int) Math.max(bytes, wanted)];
      heapBytes += chunk.length;
      from = 0;
      at = 0;
    }
  }

  private void closePiece() {
    if (at > from) {
      pieces.add(new ArrayPart(chunk, from, at));
      before += at - from;
      from = at;
    }
  }

  /** Reads what was added, from its start. Nothing may be added any more. */
  Reader reader() {
    closePiece();
    return new Reader(pieces, before);
  }

  /** Hands out bytes in order. For one thread at a time. */
  static final class Reader {
    private final List<ArrayPart> pieces;
    private long remaining;
    private int piece;
    private int done;

    private Reader(List<ArrayPart> pieces, long size) {
      this.pieces = pieces;
      this.remaining = size;
    }

    /** How many bytes are left. */
    long remaining() {
      return remaining;
    }

    /** Copies the next bytes to another list; there must be as many. */
    void moveTo(ByteChunks target, int bytes) {
      target.room(bytes);
      int wanted = bytes;
      while (wanted > 0) {
        ArrayPart part = pieces.get(piece);
        int here = Math.min(wanted, part.to - part.from - done);
        target.copy(part.bytes, part.from + done, here);
        wanted -= here;
        done += here;
        if (part.from + done == part.to) {
          piece++;
          done = 0;
        }
      }
      remaining -= bytes;
    }
  }

  /** Writes everything. */
  void writeTo(OutputStream out) throws IOException {
    for (ArrayPart piece : pieces) {
      out.write(piece.bytes, piece.from, piece.to - piece.from);
    }
    out.write(chunk, from, at - from);
  }
}
