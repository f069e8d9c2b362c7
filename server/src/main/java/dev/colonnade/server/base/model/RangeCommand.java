package dev.colonnade.server.base.model;

import java.util.Optional;

/**
 * A read of rows in token order.
 *
 * @param start the first row that may be in the answer
 * @param end the first row that may not; empty for the end of the ring
 * @param inside set when an earlier read ended inside the row {@code start}
 * @param startListed whether {@code start} was listed already, at least in part, so that it does
 *     not count again
 * @param rowsListed rows that earlier reads have listed, which count towards the limit
 * @param rowLimit the most rows wanted that have a live cell (or rows at all, with {@code
 *     includeEmptyRows}); if as many were listed, the rest of the row {@code start} is wanted
 * @param includeEmptyRows also list rows that exist but have nothing live in the slice
 * @param keysOnly list keys without cells, so that one live cell of each row is enough
 */
public record RangeCommand(
    RowKey start,
    Optional<RowKey> end,
    Optional<SlicePosition> inside,
    boolean startListed,
    long rowsListed,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    long bytes,
    long nowSeconds)
    implements ReadCommand {

  /** A read that counts its rows from 0; a limit of 0 wants the rest of the row {@code start}. */
  public RangeCommand(
      RowKey start,
      Optional<RowKey> end,
      Optional<SlicePosition> inside,
      boolean startListed,
      Slice slice,
      long rowLimit,
      boolean includeEmptyRows,
      boolean keysOnly,
      long bytes,
      long nowSeconds) {
    this(
        start,
        end,
        inside,
        startListed,
        0,
        slice,
        rowLimit,
        includeEmptyRows,
        keysOnly,
        bytes,
        nowSeconds);
  }

  /** The slice of one row: one live column is enough to list a key; a limit of 0 lists nothing. */
  public Slice sliceOfRow() {
    return keysOnly ? slice.atMost(1) : slice;
  }

  /** Where to begin in the slice of a row: at its beginning, or where an earlier read ended. */
  public Optional<SlicePosition> from(RowKey row) {
    return inside.isPresent() && row.equals(start) ? inside : Optional.empty();
  }

  /** How many more rows are wanted; 0 for the rest of the row {@code start} alone. */
  public long rowsLeft() {
    return Math.max(0, rowLimit - rowsListed);
  }

  /** The same read with another limit in bytes. */
  public RangeCommand atMost(long bytesMax) {
    return bytes <= bytesMax ? this : part(start, end, inside, startListed, bytesMax);
  }

  /** The same read of a part that begins with a row of which nothing was read. */
  public RangeCommand within(RowKey partStart, Optional<RowKey> partEnd) {
    return part(partStart, partEnd, Optional.empty(), false, bytes);
  }

  /** The same read up to an earlier end. */
  public RangeCommand until(Optional<RowKey> partEnd) {
    return part(start, partEnd, inside, startListed, bytes);
  }

  private RangeCommand part(
      RowKey from,
      Optional<RowKey> to,
      Optional<SlicePosition> insideFrom,
      boolean fromListed,
      long bytesMax) {
    return new RangeCommand(
        from,
        to,
        insideFrom,
        fromListed,
        rowsListed,
        slice,
        rowLimit,
        includeEmptyRows,
        keysOnly,
        bytesMax,
        nowSeconds);
  }
}
