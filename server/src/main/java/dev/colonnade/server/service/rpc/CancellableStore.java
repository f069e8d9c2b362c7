package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The store as seen by one call: when the call is cancelled, its reads are cancelled here and on
 * the replicas. Writes continue: half of a write would be worse than all of it. If the call is
 * traced, so are both.
 */
final class CancellableStore implements RowStore {

  private final RowStore store;
  private final Caller caller;
  private final @Nullable CallTrace trace;

  CancellableStore(RowStore store, Caller caller, @Nullable CallTrace trace) {
    this.store = store;
    this.caller = caller;
    this.trace = trace;
  }

  @Override
  public CompletableFuture<SlicePage> read(SliceRead read) {
    return whileWanted(store.read(trace == null ? read : read.traced(trace)));
  }

  @Override
  public CompletableFuture<RangePage> readRange(RangeRead read) {
    return whileWanted(store.readRange(trace == null ? read : read.traced(trace)));
  }

  @Override
  public CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    return store.write(mutations, durable, consistency, deadlineNanos, trace);
  }

  @Override
  public boolean isBehind() {
    return store.isBehind();
  }

  @Override
  public boolean isCatchingUp() {
    return store.isCatchingUp();
  }

  private <T> CompletableFuture<T> whileWanted(CompletableFuture<T> read) {
    if (!read.isDone()) {
      caller.cancelWhenGone(read);
    }
    return read;
  }
}
