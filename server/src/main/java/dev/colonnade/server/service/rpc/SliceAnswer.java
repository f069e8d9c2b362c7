package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.read.SlicePage;
import java.util.List;
import java.util.Optional;

/**
 * One row's part of an answer, filled from pages of the store up to a number of encoded bytes, but
 * with at least one column. For one thread at a time.
 */
final class SliceAnswer implements AnswerWork.Part<SliceAnswer> {

  private final int limitBytes;
  private EncodedColumns columns;
  private Optional<SlicePosition> next;
  private boolean superColumnContinues;
  private boolean full;
  private boolean touched;
  private boolean cut;
  private long bytes;
  private CallCost cost = CallCost.NONE;

  /**
   * Creates an answer.
   *
   * @param columns gets the columns; may hold earlier ones of the same row
   * @param from where the row is continued
   */
  SliceAnswer(EncodedColumns columns, Optional<SlicePosition> from, int limitBytes) {
    this.limitBytes = limitBytes;
    this.next = from;
    this.columns = columns;
  }

  /** Adds what fits of a page that was read from {@link #next()}. */
  void add(SlicePage page) {
    cost = cost.plus(page.cost());
    touched = true;
    if (page.found() instanceof EncodedColumns encoded) {
      take(encoded);
    } else if (!add(page.cells())) {
      return;
    }
    next = page.next();
    if (!page.found().isEmpty()) {
      superColumnContinues = page.topContinues();
    }
    // The last eighth is not worth another read.
    full = bytes >= limitBytes - limitBytes / 8;
  }

  /** Takes over the first page, which was encoded while it was read. */
  private void take(EncodedColumns encoded) {
    if (!columns.isEmpty()) {
      throw new IllegalStateException("only the first page may be encoded while it is read");
    }
    columns = encoded;
    bytes = encoded.bytes();
  }

  /** Adds cells; false if they do not all fit. */
  private boolean add(List<Cell> cells) {
    for (Cell cell : cells) {
      int size = columns.bytesOf(cell);
      if (bytes + size > limitBytes && !columns.isEmpty()) {
        full = true;
        cut = true;
        superColumnContinues = columns.continues(cell);
        next = Optional.ofNullable(columns.position());
        return false;
      }
      columns.add(cell);
      bytes += size;
    }
    return true;
  }

  /** Whether no page was added. */
  boolean isUntouched() {
    return !touched;
  }

  /** Whether to stop reading: the answer is full, or the slice is complete. */
  boolean done() {
    return full || next.isEmpty();
  }

  /** Whether a page had more than fitted. */
  boolean cut() {
    return cut;
  }

  /** The columns added, or what takes them. */
  EncodedColumns columns() {
    return columns;
  }

  /** Whether the cell is in the super column that the answer, or the part before it, ends in. */
  boolean continues(Cell cell) {
    return columns.continues(cell);
  }

  /** At most how many bytes the cell would add. */
  int bytesOf(Cell cell) {
    return columns.bytesOf(cell);
  }

  /** How many bytes may still be added, at least 1. */
  int roomBytes() {
    return (int) Math.max(1, limitBytes - bytes);
  }

  @Override
  public boolean isComplete() {
    return next.isEmpty();
  }

  @Override
  public void replaces(SliceAnswer other) {
    cost = cost.plus(other.cost);
  }

  @Override
  public long heapBytes() {
    return columns.heapBytes();
  }

  long bytes() {
    return bytes;
  }

  boolean isEmpty() {
    return columns.isEmpty();
  }

  /** Where to continue; empty when the slice is complete. */
  Optional<SlicePosition> next() {
    return next;
  }

  /** The position after the last column, even if the slice is complete. */
  Optional<SlicePosition> position() {
    return next.isPresent() ? next : Optional.ofNullable(columns.position());
  }

  boolean superColumnContinues() {
    return next.isPresent() && superColumnContinues;
  }

  CallCost cost() {
    return cost;
  }

  /** The encoded columns; to be used once. */
  ByteChunks finish() {
    return columns.finish();
  }
}
