package dev.colonnade.server.service.read;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPosition;
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
  private @Nullable RowKey start;
  private Optional<SlicePosition> inside = Optional.empty();
  private boolean startListed;
  private long listed;
  private CallCost cost = CallCost.NONE;

  PagedRangeRead(
      RangeSource source, Clock clock, RangeRead read, int required, long deadlineNanos) {
    super(clock, read.consistency(), required, deadlineNanos);
    this.source = source;
    this.read = read;
    this.nowSeconds = clock.wallSeconds();
    read.from().ifPresent(this::resume);
  }

  private void resume(RangePosition position) {
    rangeAt = position.range();
    listed = position.rowsListed();
    inside = position.inside();
    startListed = inside.isPresent();
    start = inside.isPresent() ? position.row() : behind(position.row());
  }

  /** The first key after a row: keys sort as bytes, so appending a zero byte gives the next one. */
  private static RowKey behind(RowKey row) {
    return new RowKey(row.token(), Arrays.copyOf(row.key(), row.key().length + 1));
  }

  @Override
  public CompletableFuture<RangeSource.ScanPart> turn() {
    if (isDone()) {
      return CompletableFuture.completedFuture(RangeSource.ScanPart.NOTHING);
    }
    RowRange range = read.ranges().get(rangeAt);
    return source.read(
        read.command(
            start == null ? range.start() : start,
            range.end(),
            inside,
            startListed,
            listed,
            nowSeconds),
        mode());
  }

  private boolean isDone() {
    return rangeAt >= read.ranges().size() || (listed >= read.rowLimit() && !startListed);
  }

  @Override
  public @Nullable RangePage take(RangeSource.ScanPart turn) {
    cost = cost.plus(turn.cost());
    List<RowCells> rows = turn.page().rows();
    boolean continued = startListed && !rows.isEmpty() && rows.get(0).key().equals(start);
    listed += rows.size() - (continued ? 1 : 0);
    int showing = rangeAt;
    RowKey lastShown = rows.isEmpty() ? null : rows.get(rows.size() - 1).key();
    boolean pausedInShown =
        turn.page().paused().isPresent()
            && turn.page().paused().get().inside().isPresent()
            && turn.page().paused().get().row().equals(lastShown);
    goOnFrom(turn, pausedInShown);
    if (lastShown == null && !isDone()) {
      return null;
    }
    return new RangePage(
        rows,
        next(showing, lastShown, pausedInShown, turn),
        pausedInShown,
        pausedInShown && turn.page().topContinues(),
        cost);
  }

  private void goOnFrom(RangeSource.ScanPart turn, boolean pausedInShown) {
    if (turn.page().paused().isEmpty()) {
      start = turn.goOnAt();
      inside = Optional.empty();
      startListed = false;
      rangeAt += start == null ? 1 : 0;
      return;
    }
    RowPosition pause = turn.page().paused().get();
    boolean sameRow = startListed && pause.row().equals(start);
    inside = pause.inside();
    startListed = inside.isPresent() && (pausedInShown || sameRow);
    start = inside.isPresent() ? pause.row() : behind(pause.row());
  }

  private Optional<RangePosition> next(
      int showing, @Nullable RowKey lastShown, boolean pausedInShown, RangeSource.ScanPart turn) {
    if (isDone() || lastShown == null) {
      return Optional.empty();
    }
    if (turn.page().paused().isEmpty()) {
      // The range is complete; the next row is in another range.
      return Optional.of(new RangePosition(showing, lastShown, Optional.empty(), listed));
    }
    RowPosition pause = turn.page().paused().get();
    return Optional.of(
        pausedInShown || pause.inside().isEmpty()
            ? new RangePosition(showing, pause.row(), pause.inside(), listed)
            : new RangePosition(showing, lastShown, Optional.empty(), listed));
  }
}
