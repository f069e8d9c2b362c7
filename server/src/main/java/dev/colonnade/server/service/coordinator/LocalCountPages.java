package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Counts a slice in this node's store, turn by turn to its end. */
final class LocalCountPages extends PagedRead<ReadResponse<RowPage>, CountAnswer> {

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
  CompletableFuture<ReadResponse<RowPage>> turn() {
    SliceCommand query =
        new SliceCommand(read.key(), read.slice(), from, Long.MAX_VALUE, true, nowSeconds);
    // A long count moves off the caller's thread after its first turn.
    return engine.read(
        read.family().id(),
        query,
        ReadOutput.ROW_PAGE,
        from.isEmpty() ? ReadMode.INLINE : ReadMode.OFFLOADED);
  }

  @Override
  @Nullable CountAnswer take(ReadResponse<RowPage> turn) {
    cost = cost.plus(CallCost.of(here, turn.figures(), turn.tombstones()));
    RowPage page = turn.result();
    from = page.next();
    return from.isPresent() ? null : new CountAnswer(page.counted(), cost);
  }
}
