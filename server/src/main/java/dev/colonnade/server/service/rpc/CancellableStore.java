package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The store as seen by one call: when the call is cancelled, its reads are cancelled here and on
 * the replicas. Writes continue: half of a write would be worse than all of it.
 */
final class CancellableStore implements RowStore {

  private final RowStore store;
  private final Caller caller;

  CancellableStore(RowStore store, Caller caller) {
    this.store = store;
    this.caller = caller;
  }

  @Override
  public CompletableFuture<SlicePage> read(SliceRead read) {
    return whileWanted(store.read(read));
  }

  @Override
  public CompletableFuture<RangePage> readRange(RangeRead read) {
    return whileWanted(store.readRange(read));
  }

  @Override
  public CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    return store.write(mutations, durable, consistency, deadlineNanos);
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
