package dev.colonnade.server.node.platform;

import java.util.Arrays;
import net.openhft.chronicle.bytes.Bytes;

/**
 * Some rows of a key index as one reusable value of a Chronicle Map: of each row, 40 bits of its
 * hash and its position. As one entry of the map they share what each entry costs.
 *
 * <p>Encoded as a byte that says which of the eight bytes of positions are kept (a set bit for
 * each, the lowest first; the others are 0 in all positions), then the rows in ascending order of
 * the 40 bits: 4 bytes and 1 byte of the hash, then the kept bytes of the position, all of them
 * with the lowest byte first.
 *
 * <p>One thread at a time.
 */
final class KeyBucket {

  /** The hashes of rows that share a bucket are told apart by this many bits. */
  static final int PRINT_BITS = 40;

  static final int PRINT_BYTES = PRINT_BITS / 8;

  /** Of the encoding, before the rows. */
  static final int HEADER_BYTES = 1;

  /** Four times the rows of a bucket on average: only by design are there ever as many. */
  static final int ROWS_MAX = 128;

  private static final long PRINT_MASK = (1L << PRINT_BITS) - 1;

  // Empty until rows are added: a lookup needs none.
  private long[] prints = {};
  private long[] positions = {};
  private int rows;
  private int keptBytes;

  private long wanted;
  private long found = -1;

  /** Empties it, for positions that use no other bits than these. */
  void clear(long positionBits) {
    rows = 0;
    keptBytes = keptBytes(positionBits);
    if (prints.length == 0) {
      prints = new long[ROWS_MAX];
      positions = new long[ROWS_MAX];
    }
  }

  /** The bytes of a position that are not 0 in all of them, a bit for each. */
  private static int keptBytes(long positionBits) {
    int kept = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      if (((positionBits >>> (8 * i)) & 0xFF) != 0) {
        kept |= 1 << i;
      }
    }
    return kept;
  }

  /** How many bytes one row takes, with positions that use these bits. */
  static int rowBytes(long positionBits) {
    return PRINT_BYTES + Integer.bitCount(keptBytes(positionBits));
  }

  boolean isEmpty() {
    return rows == 0;
  }

  /**
   * Adds a row.
   *
   * <p>If two rows of a bucket agree in the 40 bits, the file goes without an index, and rows are
   * found by its sparse index, which costs a block more. That is right, and seldom: a bucket of 32
   * rows has 500 pairs, so of files with a hundred million rows one in 700 is concerned, and of
   * those with a million one in 70,000; a merge with other files divides rows differently. To keep
   * the first row alone would be wrong: a lookup of the second would find the first, whose key
   * differs, and take the row for absent. Keeping both would make each lookup return several
   * positions, in a path that allocates nothing.
   *
   * @return false if it cannot be told apart from another one, or there are too many; nothing is
   *     added then
   */
  boolean add(long hash, long position) {
    long print = hash & PRINT_MASK;
    int at = Arrays.binarySearch(prints, 0, rows, print);
    if (at >= 0 || rows == ROWS_MAX) {
      return false;
    }
    int place = -at - 1;
    System.arraycopy(prints, place, prints, place + 1, rows - place);
    System.arraycopy(positions, place, positions, place + 1, rows - place);
    prints[place] = print;
    positions[place] = position;
    rows++;
    return true;
  }

  /** Has {@link #read} look for a row. */
  void want(long hash) {
    wanted = hash & PRINT_MASK;
    found = -1;
  }

  /** The position of the wanted row; -1 if the bucket does not have it. */
  long found() {
    return found;
  }

  long encodedBytes() {
    return HEADER_BYTES + (long) rows * (PRINT_BYTES + Integer.bitCount(keptBytes));
  }

  void write(Bytes<?> out) {
    out.writeUnsignedByte(keptBytes);
    for (int i = 0; i < rows; i++) {
      out.writeInt((int) (prints[i] >>> 8));
      out.writeUnsignedByte((int) prints[i] & 0xFF);
      for (int kept = keptBytes; kept != 0; kept &= kept - 1) {
        out.writeUnsignedByte(
            (int) (positions[i] >>> (8 * Integer.numberOfTrailingZeros(kept))) & 0xFF);
      }
    }
  }

  /** Looks for the wanted row in an encoded bucket, without decoding the others. */
  void read(Bytes<?> in, long size) {
    long start = in.readPosition();
    int kept = in.readUnsignedByte(start);
    int rowBytes = PRINT_BYTES + Integer.bitCount(kept);
    int low = 0;
    int high = (int) ((size - HEADER_BYTES) / rowBytes) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = start + HEADER_BYTES + (long) middle * rowBytes;
      long print = ((in.readInt(at) & 0xFFFF_FFFFL) << 8) | in.readUnsignedByte(at + 4);
      if (print == wanted) {
        found = position(in, at + PRINT_BYTES, kept);
        break;
      }
      if (print < wanted) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    in.readSkip(size);
  }

  private static long position(Bytes<?> in, long start, int keptBytes) {
    long position = 0;
    long at = start;
    for (int kept = keptBytes; kept != 0; kept &= kept - 1) {
      position |= (long) in.readUnsignedByte(at) << (8 * Integer.numberOfTrailingZeros(kept));
      at++;
    }
    return position;
  }
}
