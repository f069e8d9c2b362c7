package dev.colonnade.server.base.model;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fills a page of a slice: receives the cells that stand, in reading order, and takes the live ones
 * until the slice's limit is reached or the page is full. The one place that knows what counts. For
 * one thread and one page.
 */
public final class LiveCells {

  /** What a column takes in an answer beside names and value: tags, lengths, timestamp. */
  private static final int COLUMN_OVERHEAD_BYTES = 24;

  private final PathOrder order;
  private final Slice slice;
  private final long nowSeconds;
  private final long bytesMax;
  private final @Nullable CellSink cells;

  private long counted;
  private long delivered;
  private long deliveredBytes;
  private @Nullable Cell lastDelivered;
  private byte @Nullable [] countedTop;
  private @Nullable SlicePosition next;
  private boolean topContinues;

  /**
   * Creates an empty page.
   *
   * @param from where the page before this one ended
   * @param bytesMax about how many bytes of names and values to take; at least one cell is taken
   * @param cells takes the cells; null to count only
   */
  public LiveCells(
      PathOrder order,
      Slice slice,
      Optional<SlicePosition> from,
      long bytesMax,
      long nowSeconds,
      @Nullable CellSink cells) {
    this.order = order;
    this.slice = slice;
    this.nowSeconds = nowSeconds;
    this.bytesMax = bytesMax;
    this.cells = cells;
    if (from.isPresent()) {
      counted = from.get().counted();
      countedTop = from.get().topCounted() ? from.get().at().top() : null;
    }
  }

  /** What has taken the live cells; an empty list when only counting. */
  public CellSink cells() {
    return cells == null ? new CellList(List.of()) : cells;
  }

  /** Live columns or super columns of all pages so far. */
  public long counted() {
    return counted;
  }

  /** Live cells taken into this page. */
  public long delivered() {
    return delivered;
  }

  /** Their size. */
  public long deliveredBytes() {
    return deliveredBytes;
  }

  /** Where to go on; empty when the slice is complete. */
  public Optional<SlicePosition> next() {
    return Optional.ofNullable(next);
  }

  /**
   * Whether the last taken cell's super column may have more columns behind {@link #next}; never in
   * a slice of one level, whose columns are answered without their super column. True for certain
   * when the page ended at a live cell; when it ended among deletions, the rest may turn out to be
   * deleted as well.
   */
  public boolean topContinues() {
    return topContinues;
  }

  /**
   * Whether a reader sees the cell.
   *
   * <p>The smallest timestamp stands for "not deleted" in super columns, and hides what was written
   * at it, as in the first Cassandra. In standard families it is a timestamp like any other.
   */
  public boolean isLive(Cell cell) {
    return cell.isLiveAt(nowSeconds) && (cell.timestamp() != Long.MIN_VALUE || !order.isSuper());
  }

  /** Whether the slice wants the cell: a reader sees it, and its timestamp is great enough. */
  public boolean isWanted(Cell cell) {
    return cell.timestamp() >= slice.minTimestamp() && isLive(cell);
  }

  /**
   * Takes a wanted cell if there is room for it.
   *
   * @param reversed the direction in which the row is being read here
   * @param spent whether the page should end although it has room
   * @return whether to read on; if not, {@link #next} says whether the slice is complete
   */
  public boolean take(Cell cell, boolean reversed, boolean spent) {
    boolean newUnit = !slice.bySuperColumn() || !isCounted(cell.top());
    if (newUnit && counted == slice.limit()) {
      return false;
    }
    long cost = costOf(cell);
    Cell last = lastDelivered;
    if (last != null && (spent || deliveredBytes + cost > bytesMax || isFullFor(cell))) {
      next = new SlicePosition(reversed ? Bound.before(last) : Bound.after(last), true, counted);
      topContinues = slice.bySuperColumn() && order.sameTop(last, cell);
      return false;
    }
    if (cells != null) {
      cells.add(cell);
      deliveredBytes += cost;
    }
    delivered++;
    lastDelivered = cell;
    if (newUnit) {
      counted++;
      countedTop = cell.top();
    }
    return slice.bySuperColumn() || counted < slice.limit();
  }

  /** How many cells {@link #takeAll} may take at most; 0 if it takes none in any case. */
  public long wantedInPlace() {
    boolean none = cells == null || slice.bySuperColumn() || slice.minTimestamp() != Long.MIN_VALUE;
    return none ? 0 : slice.limit() - counted;
  }

  /**
   * Takes live cells at once if there is room for all of them.
   *
   * @param all one or more, but not more than {@link #wantedInPlace}
   * @return false if none was taken
   */
  public boolean takeAll(PlainCells all) {
    int count = all.count();
    long cost = all.payloadBytes() + (long) COLUMN_OVERHEAD_BYTES * count;
    if (deliveredBytes + cost > bytesMax || !cells().addAll(all)) {
      return false;
    }
    Cell last = all.last();
    counted += count;
    delivered += count;
    deliveredBytes += cost;
    lastDelivered = last;
    countedTop = last.top();
    return true;
  }

  private boolean isFullFor(Cell cell) {
    return cells != null && !cells.hasRoomFor(cell);
  }

  /** About what a cell takes in an answer. */
  public static long costOf(Cell cell) {
    return cell.payloadBytes() + (long) COLUMN_OVERHEAD_BYTES;
  }

  /** Whether the super column of that name has been counted last. */
  public boolean isCounted(byte[] top) {
    return countedTop != null
        && (countedTop == top || order.topType().compare(countedTop, top) == 0);
  }

  /** The super column that was counted last; null if none was. */
  public byte @Nullable [] countedTop() {
    return countedTop;
  }

  /**
   * Whether the limit is reached, so that nothing of another column or super column can be taken.
   */
  public boolean isLimitReached() {
    return counted >= slice.limit();
  }

  /** Ends the page at a place up to which all cells have been offered. */
  public void pauseAt(Bound at) {
    next = new SlicePosition(at, isCounted(at.top()), counted);
    topContinues =
        slice.bySuperColumn() && lastDelivered != null && order.sameTop(lastDelivered, at);
  }
}
