package dev.colonnade.server.base.model;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One version of one column: a live value, a value that expires, or a deletion.
 *
 * <p>Immutable; arrays are shared, not copied.
 */
public sealed class Cell implements Atom permits Cell.Embedded {

  /**
   * The kinds of cells, the weakest first if timestamps are equal. The codes are written to disk:
   * do not change them.
   */
  public enum CellKind {
    LIVE(0),
    EXPIRING(1),
    DELETED(2);

    private final int code;

    CellKind(int code) {
      this.code = code;
    }

    /** The number that stands for this kind on disk. */
    public int code() {
      return code;
    }
  }

  private static final byte[] NO_VALUE = new byte[0];

  private final byte[] top;
  private final byte @Nullable [] sub;
  private final byte[] value;
  private final long timestamp;
  private final CellKind kind;
  private final int ttlSeconds;
  private final long localSeconds;

  private Cell(
      byte[] top,
      byte @Nullable [] sub,
      byte[] value,
      long timestamp,
      CellKind kind,
      int ttlSeconds,
      long localSeconds) {
    this.top = top;
    this.sub = sub;
    this.value = value;
    this.timestamp = timestamp;
    this.kind = kind;
    this.ttlSeconds = ttlSeconds;
    this.localSeconds = localSeconds;
  }

  /**
   * A value that stays until it is overwritten or deleted. {@code sub} is null in a Standard
   * family.
   */
  public static Cell live(byte[] top, byte @Nullable [] sub, byte[] value, long timestamp) {
    return new Cell(top, sub, value, timestamp, CellKind.LIVE, 0, Long.MAX_VALUE);
  }

  /** The same with a value that is part of a larger array, as {@link #withValueIn} makes it. */
  static Cell liveIn(
      byte[] top, byte @Nullable [] sub, byte[] array, int offset, int length, long timestamp) {
    return new Embedded(top, sub, array, offset, length, timestamp);
  }

  /**
   * The same cell with a value that is part of a larger array and is not copied. The array must not
   * be changed any more, and stays in memory for as long as the cell does.
   */
  public Cell withValueIn(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    return new Embedded(this, array, offset, length);
  }

  /**
   * A value that is gone from {@code expiresAtSeconds} on, and then counts as a deletion at its own
   * timestamp.
   *
   * @param ttlSeconds as the client gave it, at least 1; it comes back in answers unchanged
   * @param expiresAtSeconds seconds since 1970
   */
  public static Cell expiring(
      byte[] top,
      byte @Nullable [] sub,
      byte[] value,
      long timestamp,
      int ttlSeconds,
      long expiresAtSeconds) {
    return new Cell(top, sub, value, timestamp, CellKind.EXPIRING, ttlSeconds, expiresAtSeconds);
  }

  /**
   * The rest of an expiring value whose value has been dropped: a reader at any time sees nothing,
   * and the expiry still decides against other versions of the same timestamp. It is written to
   * disk as an expiring value that is empty and has a time to live of 0.
   *
   * @param expiredAtSeconds when it expired, seconds since 1970
   */
  public static Cell expired(
      byte[] top, byte @Nullable [] sub, long timestamp, long expiredAtSeconds) {
    return new Cell(top, sub, NO_VALUE, timestamp, CellKind.EXPIRING, 0, expiredAtSeconds);
  }

  /** The deletion of one column. */
  public static Cell deleted(byte[] top, byte @Nullable [] sub, DeletionTime deletion) {
    return new Cell(
        top, sub, NO_VALUE, deletion.timestamp(), CellKind.DELETED, 0, deletion.deletedAtSeconds());
  }

  @Override
  public byte[] top() {
    return top;
  }

  @Override
  public byte @Nullable [] sub() {
    return sub;
  }

  @Override
  public int weight() {
    return 0;
  }

  /** The name of the column itself: the subcolumn's in a Super family. */
  public byte[] name() {
    return sub != null ? sub : top;
  }

  /** Empty for a deletion. A copy if the value is part of a larger array. */
  public byte[] value() {
    return value;
  }

  /** How many bytes the value has; 0 for a deletion. */
  public int valueLength() {
    return value.length;
  }

  /** The array that holds the value from {@link #valueOffset} on, not to be changed. */
  public final byte[] valueArray() {
    return value;
  }

  /** Where in {@link #valueArray} the value begins. */
  public int valueOffset() {
    return 0;
  }

  /** The client's, any 64-bit number. */
  public long timestamp() {
    return timestamp;
  }

  public CellKind kind() {
    return kind;
  }

  /** The client's time to live, or 0 for none and for what {@link #expired} returns. */
  public int ttlSeconds() {
    return ttlSeconds;
  }

  /**
   * Expiry of an expiring cell, deletion time of a deleted one, {@link Long#MAX_VALUE} of a live
   * one.
   */
  public long localSeconds() {
    return localSeconds;
  }

  /** Whether a reader at {@code nowSeconds} sees a value. */
  public boolean isLiveAt(long nowSeconds) {
    return localSeconds > nowSeconds && hasValue();
  }

  /** Whether a value is held; one that has expired may be held still. */
  public boolean hasValue() {
    return kind == CellKind.LIVE || (kind == CellKind.EXPIRING && ttlSeconds > 0);
  }

  /** Bytes of names and value together. */
  public int payloadBytes() {
    return top.length + (sub == null ? 0 : sub.length) + valueLength();
  }

  /** The deletion that an expired or deleted cell stands for. */
  public DeletionTime asDeletion() {
    return new DeletionTime(timestamp, localSeconds);
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof Cell that
        && timestamp == that.timestamp
        && kind == that.kind
        && ttlSeconds == that.ttlSeconds
        && localSeconds == that.localSeconds
        && Arrays.equals(top, that.top)
        && Arrays.equals(sub, that.sub)
        && compareValues(that) == 0;
  }

  @Override
  public final int hashCode() {
    return (Arrays.hashCode(name()) * 31 + Long.hashCode(timestamp)) * 31
        + Arrays.hashCode(value());
  }

  /** Compares the values as unsigned bytes. */
  final int compareValues(Cell that) {
    return Arrays.compareUnsigned(
        value,
        valueOffset(),
        valueOffset() + valueLength(),
        that.value,
        that.valueOffset(),
        that.valueOffset() + that.valueLength());
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return (sub == null ? "" : hex.formatHex(top) + "/")
        + hex.formatHex(name())
        + "@"
        + timestamp
        + (kind == CellKind.DELETED ? " deleted at " + localSeconds : "=" + hex.formatHex(value()))
        + (kind == CellKind.EXPIRING
            ? (ttlSeconds == 0 ? " gone since " : " until ") + localSeconds
            : "");
  }

  /** A cell whose value is part of a larger array. */
  static final class Embedded extends Cell {
    private final int offset;
    private final int length;

    private Embedded(Cell cell, byte[] array, int offset, int length) {
      super(
          cell.top, cell.sub, array, cell.timestamp, cell.kind, cell.ttlSeconds, cell.localSeconds);
      this.offset = offset;
      this.length = length;
    }

    private Embedded(
        byte[] top, byte @Nullable [] sub, byte[] array, int offset, int length, long timestamp) {
      super(top, sub, array, timestamp, CellKind.LIVE, 0, Long.MAX_VALUE);
      this.offset = offset;
      this.length = length;
    }

    @Override
    public byte[] value() {
      return Arrays.copyOfRange(valueArray(), offset, offset + length);
    }

    @Override
    public int valueLength() {
      return length;
    }

    @Override
    public int valueOffset() {
      return offset;
    }
  }
}
