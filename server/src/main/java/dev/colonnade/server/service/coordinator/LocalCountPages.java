package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.engine.RowPage;
import dev.colonnade.server.storage.engine.RowQuery;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Counts a slice in this node's store, turn by turn to its end. */
final class LocalCountPages extends PagedRead<RowPage, CountAnswer> {

  private final StorageEngine engine;
  private final CountRead read;
  private final long nowSeconds;
  private Optional<SlicePosition> from = Optional.empty();
  private final AskedReplicas here;
  private CallCost cost = CallCost.NONE;

  LocalCountPages(
      StorageEngine engine, Clock clock, CountRead read, AskedReplicas here, long nowSeconds) {
    super(clock, read.consistency(), read.deadlineNanos());
    this.engine = engine;
    this.read = read;
    this.here = here;
    this.nowSeconds = nowSeconds;
  }

  @Override
  CompletableFuture<RowPage> turn() {
    RowQuery query = new RowQuery(read.key(), read.slice(), from, Long.MAX_VALUE, true, nowSeconds);
    // A long count moves off the caller's thread after its first turn.
    return from.isEmpty()
        ? engine.read(read.family().id(), query)
        : engine.readInBackground(read.family().id(), query);
  }

  @Override
  @Nullable CountAnswer take(RowPage page) {
    cost = cost.plus(CallCost.of(here, page.figures(), page.tombstones()));
    from = page.next();
    return from.isPresent() ? null : new CountAnswer(page.counted(), cost);
  }
}
