package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.RowPage;
import dev.colonnade.server.engine.RowQuery;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.model.SlicePosition;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One page of a slice: turns until there is something to show, or nothing left. */
final class SliceTurns extends Turns<RowPage, SlicePage> {

  private final StorageEngine engine;
  private final SliceRead read;
  private final long nowSeconds;
  private Optional<SlicePosition> from;
  private ReadCost cost = ReadCost.NONE;

  SliceTurns(StorageEngine engine, Clock clock, SliceRead read, long nowSeconds) {
    super(clock, read.consistency(), read.deadlineNanos());
    this.engine = engine;
    this.read = read;
    this.nowSeconds = nowSeconds;
    this.from = read.from();
  }

  @Override
  CompletableFuture<RowPage> turn() {
    return engine.read(
        read.family().id(),
        new RowQuery(read.key(), read.slice(), from, read.pageBytes(), false, nowSeconds));
  }

  @Override
  @Nullable SlicePage take(RowPage page) {
    cost = cost.plus(ReadCosts.of(page.figures(), page.tombstones()));
    if (page.cells().isEmpty() && page.next().isPresent()) {
      from = page.next();
      return null;
    }
    return new SlicePage(page.cells(), page.next(), page.topContinues(), cost);
  }
}
