package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.RangeQuery;
import dev.colonnade.server.engine.RangeRows;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.SlicePosition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan: turns over the ranges until there is something to show, or nothing left.
 *
 * <p>A page never ends inside a row of which it shows nothing: such a row is gone on with, or left
 * to the next page.
 */
final class RangeTurns extends Turns<RangeRows, RangePage> {

  private final StorageEngine engine;
  private final RangeRead read;
  private final long nowSeconds;

  private int rangeAt;
  private @Nullable RowKey start;
  private Optional<SlicePosition> inside = Optional.empty();
  private boolean startListed;
  private long listed;
  private ReadCost cost = ReadCost.NONE;

  RangeTurns(StorageEngine engine, Clock clock, RangeRead read, long nowSeconds) {
    super(clock, read.consistency(), read.deadlineNanos());
    this.engine = engine;
    this.read = read;
    this.nowSeconds = nowSeconds;
    read.from().ifPresent(this::resume);
  }

  private void resume(RangePosition position) {
    rangeAt = position.range();
    listed = position.rowsListed();
    inside = position.inside();
    startListed = inside.isPresent();
    start = inside.isPresent() ? position.row() : behind(position.row());
  }

  /** The first place behind a row: keys sort as bytes, so a zero byte more is next. */
  private static RowKey behind(RowKey row) {
    return new RowKey(row.token(), Arrays.copyOf(row.key(), row.key().length + 1));
  }

  @Override
  CompletableFuture<RangeRows> turn() {
    if (isDone()) {
      return CompletableFuture.completedFuture(RangeRows.NONE);
    }
    RowRange range = read.ranges().get(rangeAt);
    return engine.readRange(
        read.family().id(),
        new RangeQuery(
            start == null ? range.start() : start,
            range.end(),
            inside,
            startListed,
            read.slice(),
            read.rowLimit() - listed,
            read.includeEmptyRows(),
            read.keysOnly(),
            read.pageBytes()),
        nowSeconds);
  }

  private boolean isDone() {
    return rangeAt >= read.ranges().size() || (listed >= read.rowLimit() && !startListed);
  }

  @Override
  @Nullable RangePage take(RangeRows turn) {
    cost = cost.plus(ReadCosts.of(turn.figures(), turn.tombstones()));
    List<RangeRows.Row> rows = turn.rows();
    boolean continued = startListed && !rows.isEmpty() && rows.get(0).key().equals(start);
    listed += rows.size() - (continued ? 1 : 0);
    int showing = rangeAt;
    RowKey lastShown = rows.isEmpty() ? null : rows.get(rows.size() - 1).key();
    boolean pausedInShown =
        turn.paused().isPresent()
            && turn.paused().get().inside().isPresent()
            && turn.paused().get().row().equals(lastShown);
    goOnFrom(turn, pausedInShown);
    if (lastShown == null && !isDone()) {
      return null;
    }
    return new RangePage(
        shown(rows),
        next(showing, lastShown, pausedInShown, turn),
        pausedInShown,
        pausedInShown && turn.topContinues(),
        cost);
  }

  private void goOnFrom(RangeRows turn, boolean pausedInShown) {
    if (turn.paused().isEmpty()) {
      start = null;
      inside = Optional.empty();
      startListed = false;
      rangeAt++;
      return;
    }
    RangeRows.Pause pause = turn.paused().get();
    boolean sameRow = startListed && pause.row().equals(start);
    inside = pause.inside();
    startListed = inside.isPresent() && (pausedInShown || sameRow);
    start = inside.isPresent() ? pause.row() : behind(pause.row());
  }

  private Optional<RangePosition> next(
      int showing, @Nullable RowKey lastShown, boolean pausedInShown, RangeRows turn) {
    if (isDone() || lastShown == null) {
      return Optional.empty();
    }
    if (turn.paused().isEmpty()) {
      // The range is complete; whatever comes next stands in another one.
      return Optional.of(new RangePosition(showing, lastShown, Optional.empty(), listed));
    }
    RangeRows.Pause pause = turn.paused().get();
    return Optional.of(
        pausedInShown || pause.inside().isEmpty()
            ? new RangePosition(showing, pause.row(), pause.inside(), listed)
            : new RangePosition(showing, lastShown, Optional.empty(), listed));
  }

  private static List<RangePage.RowCells> shown(List<RangeRows.Row> rows) {
    List<RangePage.RowCells> shown = new ArrayList<>(rows.size());
    for (RangeRows.Row row : rows) {
      shown.add(new RangePage.RowCells(row.key(), row.cells()));
    }
    return shown;
  }
}
