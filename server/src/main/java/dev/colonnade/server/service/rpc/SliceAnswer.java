package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.read.SlicePage;
import java.util.Optional;

/**
 * One row's part of an answer: what one page of the store has of it, up to a number of encoded
 * bytes, but with at least one column. A second page is never added, since it would show the row at
 * another moment. For one thread at a time.
 */
final class SliceAnswer implements AnswerWork.Part<SliceAnswer> {

  private final EncodedColumns columns;
  private final Optional<SlicePosition> next;
  private final boolean superColumnContinues;
  private CallCost cost;

  private SliceAnswer(
      EncodedColumns columns,
      Optional<SlicePosition> next,
      boolean superColumnContinues,
      CallCost cost) {
    this.columns = columns;
    this.next = next;
    this.superColumnContinues = next.isPresent() && superColumnContinues;
    this.cost = cost;
  }

  /**
   * Takes what fits of a page of the store.
   *
   * @param empty gets the columns unless the page was encoded while it was read
   */
  static SliceAnswer of(SlicePage page, EncodedColumns empty, int limitBytes) {
    if (page.found() instanceof EncodedColumns encoded) {
      return new SliceAnswer(encoded, page.next(), page.topContinues(), page.cost());
    }
    for (Cell cell : page.cells()) {
      if (!empty.isEmpty() && empty.bytes() + empty.bytesOf(cell) > limitBytes) {
        return new SliceAnswer(
            empty, Optional.ofNullable(empty.position()), empty.continues(cell), page.cost());
      }
      empty.add(cell);
    }
    return new SliceAnswer(empty, page.next(), page.topContinues(), page.cost());
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

  /** The columns, encoded. */
  EncodedColumns columns() {
    return columns;
  }

  long bytes() {
    return columns.bytes();
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
    return superColumnContinues;
  }

  CallCost cost() {
    return cost;
  }

  /** The encoded columns; to be used once. */
  ByteChunks finish() {
    return columns.finish();
  }
}
