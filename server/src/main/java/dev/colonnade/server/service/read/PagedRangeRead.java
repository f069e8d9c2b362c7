package dev.colonnade.server.service.read;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.replica.PagedRead;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads one page of a scan: turns over the ranges until there is something to return or nothing
 * left.
 *
 * <p>A page never ends inside a row of which it returns nothing: such a row is either continued or
 * left to the next page.
 */
public final class PagedRangeRead extends PagedRead<RangeSource.ScanPart, RangePage> {

  private final RangeSource source;
  private final RangeRead read;
  private final long nowSeconds;

  private int rangeAt;

  /** Where the next turn begins; null for the beginning of the range. */
  private @Nullable RowKey start;

  private Optional<SlicePosition> inside = Optional.empty();
  private boolean startListed;
  private long rowsListed;
  private CallCost cost = CallCost.NONE;

  PagedRangeRead(
      RangeSource source, Clock clock, RangeRead read, int required, long deadlineNanos) {
    super(clock, read.consistency(), required, deadlineNanos);
    this.source = source;
    this.read = read;
    this.nowSeconds = clock.wallSeconds();
    this.rangeAt = read.firstRange();
    read.from().ifPresent(position -> goOnFrom(position, true));
  }

  private void goOnFrom(RangePosition position, boolean isListed) {
    rowsListed = position.rowsListed();
    inside = position.inside();
    startListed = inside.isPresent() && isListed;
    start = inside.isPresent() ? position.row() : behind(position.row());
  }

  /** The first key after a row: keys sort as bytes, so appending a zero byte gives the next one. */
  private static RowKey behind(RowKey row) {
    return new RowKey(row.token(), Arrays.copyOf(row.key(), row.key().length + 1));
  }

  @Override
  public CompletableFuture<RangeSource.ScanPart> turn() {
    if (isDone()) {
      RangeRows nothing = new RangeRows(List.of(), rowsListed, Optional.empty(), false);
      return CompletableFuture.completedFuture(
          new RangeSource.ScanPart(nothing, null, CallCost.NONE));
    }
    RowRange range = read.ranges().get(rangeAt);
    return source.read(
        read.command(
            start == null ? range.start() : start,
            range.end(),
            inside,
            startListed,
            rowsListed,
            nowSeconds),
        mode());
  }

  private boolean isDone() {
    return rangeAt >= read.ranges().size() || (rowsListed >= read.rowLimit() && !startListed);
  }

  @Override
  public @Nullable RangePage take(RangeSource.ScanPart turn) {
    cost = cost.plus(turn.cost());
    RangeRows page = turn.page();
    Optional<RangePosition> pause = page.next();
    boolean rowContinues =
        pause.isPresent()
            && pause.get().inside().isPresent()
            && page.lastRow().equals(Optional.of(pause.get().row()));
    if (pause.isPresent()) {
      boolean sameRow = startListed && pause.get().row().equals(start);
      goOnFrom(pause.get(), rowContinues || sameRow);
    } else {
      goOnBehind(turn);
    }
    if (page.rows().isEmpty() && !isDone()) {
      return null;
    }
    return new RangePage(
        page.rows(), next(page), rowContinues, rowContinues && page.topContinues(), cost);
  }

  /** Goes on behind a complete part: in the same range, or at the beginning of the next one. */
  private void goOnBehind(RangeSource.ScanPart turn) {
    rowsListed = turn.page().rowsListed();
    inside = Optional.empty();
    startListed = false;
    start = turn.goOnAt();
    rangeAt += start == null ? 1 : 0;
  }

  /** The position behind the last listed row, or inside it. */
  private Optional<RangePosition> next(RangeRows page) {
    Optional<RowKey> last = page.lastRow();
    if (isDone() || last.isEmpty()) {
      return Optional.empty();
    }
    Optional<RangePosition> pause = page.next();
    boolean isShown =
        pause.isPresent()
            && (pause.get().inside().isEmpty() || pause.get().row().equals(last.get()));
    return isShown
        ? pause
        : Optional.of(new RangePosition(last.get(), Optional.empty(), rowsListed));
  }
}
