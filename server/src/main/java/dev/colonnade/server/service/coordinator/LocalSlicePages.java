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

/**
 * Reads one page of a slice from this node's store: turns until there is something to return or
 * nothing left.
 */
final class LocalSlicePages extends PagedRead<ReadResponse<RowPage>, SlicePage> {

  private final StorageEngine engine;
  private final SliceRead read;
  private final long nowSeconds;
  private Optional<SlicePosition> from;
  private final AskedReplicas here;
  private CallCost cost = CallCost.NONE;

  LocalSlicePages(
      StorageEngine engine, Clock clock, SliceRead read, AskedReplicas here, long nowSeconds) {
    super(clock, read.consistency(), read.deadlineNanos());
    this.engine = engine;
    this.read = read;
    this.here = here;
    this.nowSeconds = nowSeconds;
    this.from = read.from();
  }

  @Override
  CompletableFuture<ReadResponse<RowPage>> turn() {
    SliceCommand query =
        new SliceCommand(read.key(), read.slice(), from, read.pageBytes(), false, nowSeconds);
    // A run of tombstones is crossed off the caller's thread.
    return engine.read(
        read.family().id(),
        query,
        ReadOutput.ROW_PAGE,
        from.equals(read.from()) ? ReadMode.INLINE : ReadMode.OFFLOADED);
  }

  @Override
  @Nullable SlicePage take(ReadResponse<RowPage> turn) {
    cost = cost.plus(CallCost.of(here, turn.figures(), turn.tombstones()));
    RowPage page = turn.result();
    if (page.cells().isEmpty() && page.next().isPresent()) {
      from = page.next();
      return null;
    }
    return new SlicePage(page.cells(), page.next(), page.topContinues(), cost);
  }
}
