package dev.colonnade.client;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A column of a bulk load, with its place.
 *
 * @param token of the key
 * @param top the column's name, or the super column's
 * @param sub the column's name within a super column
 * @param timestampMicros never absent: the load fills it in
 * @param ttlSeconds 0: it stays
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record LoadEntry(
    byte[] token,
    byte[] key,
    byte[] top,
    byte @Nullable [] sub,
    byte[] value,
    long timestampMicros,
    int ttlSeconds) {

  /** Objects, headers of arrays, and a place in the list. */
  private static final int HEAP_BYTES = 160;

  /** Tags, lengths and numbers of a row with one column. */
  private static final int OVERHEAD_BYTES = 128;

  /** A name has 65,535 bytes at most, a token two for each character of a key. */
  private static final int NAME_BYTES_MAX = 1 << 18;

  private static final int VALUE_BYTES_MAX = 1 << 30;
  private static final int END = -1;
  private static final int ABSENT = -2;

  /** Of rows as nodes order them. */
  private static final Comparator<LoadEntry> BY_ROW =
      Comparator.comparing(LoadEntry::token, Arrays::compareUnsigned)
          .thenComparing(LoadEntry::key, Arrays::compareUnsigned);

  /** Of several versions of a column the one that nodes would keep comes first. */
  private static final Comparator<LoadEntry> NEWEST_FIRST =
      Comparator.comparingLong(LoadEntry::timestampMicros)
          .thenComparingInt(LoadEntry::ttlSeconds)
          .reversed();

  private static final byte[] NO_BYTES = {};

  /** The order of columns, of which equal ones are versions of one column. */
  static Comparator<LoadEntry> byPlace(NameOrder tops, @Nullable NameOrder subs) {
    Comparator<LoadEntry> byTop = BY_ROW.thenComparing(LoadEntry::top, tops.order());
    return subs == null
        ? byTop
        : byTop.thenComparing(entry -> entry.sub == null ? entry.top : entry.sub, subs.order());
  }

  /** The same, then versions of one column, of which equally new ones differ by their values. */
  static Comparator<LoadEntry> byPlaceAndAge(Comparator<LoadEntry> byPlace) {
    return byPlace.thenComparing(NEWEST_FIRST);
  }

  /** Of equally new versions of a column the one that nodes would keep comes first. */
  static int byValue(LoadEntry left, LoadEntry right) {
    return Arrays.compareUnsigned(right.value, left.value);
  }

  boolean isOfRow(LoadEntry other) {
    return BY_ROW.compare(this, other) == 0;
  }

  /** The most that it takes in a chunk, with a key of its own. */
  long loadBytes() {
    return OVERHEAD_BYTES
        + (long) key.length
        + top.length
        + (sub == null ? 0 : sub.length)
        + value.length;
  }

  long heapBytes() {
    return HEAP_BYTES
        + (long) token.length
        + key.length
        + top.length
        + (sub == null ? 0 : sub.length)
        + value.length;
  }

  void write(DataOutputStream out) throws IOException {
    write(token, out);
    write(key, out);
    write(top, out);
    if (sub == null) {
      out.writeInt(ABSENT);
    } else {
      write(sub, out);
    }
    out.writeLong(timestampMicros);
    out.writeInt(ttlSeconds);
    write(value, out);
  }

  private static void write(byte[] bytes, DataOutputStream out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Marks the end of a file, so that one that was cut is noticed. */
  static void writeEnd(DataOutputStream out) throws IOException {
    out.writeInt(END);
  }

  /** The next entry up to its value, which is empty; null at the end. */
  static @Nullable LoadEntry readBeforeValue(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length == END) {
      return null;
    }
    byte[] token = read(length, NAME_BYTES_MAX, in);
    byte[] key = read(in.readInt(), NAME_BYTES_MAX, in);
    byte[] top = read(in.readInt(), NAME_BYTES_MAX, in);
    int subLength = in.readInt();
    byte[] sub = subLength == ABSENT ? null : read(subLength, NAME_BYTES_MAX, in);
    return new LoadEntry(token, key, top, sub, NO_BYTES, in.readLong(), in.readInt());
  }

  /** The value behind what {@link #readBeforeValue} has read. */
  LoadEntry withValueFrom(DataInputStream in) throws IOException {
    byte[] read = read(in.readInt(), VALUE_BYTES_MAX, in);
    return new LoadEntry(token, key, top, sub, read, timestampMicros, ttlSeconds);
  }

  /** Passes over that value. */
  static void skipValue(DataInputStream in) throws IOException {
    in.skipNBytes(in.readInt());
  }

  private static byte[] read(int length, int most, DataInputStream in) throws IOException {
    if (length < 0 || length > most) {
      throw new IOException("a file of sorted columns is damaged: a length of " + length);
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length != length) {
      throw new EOFException("a file of sorted columns is cut off");
    }
    return bytes;
  }
}
