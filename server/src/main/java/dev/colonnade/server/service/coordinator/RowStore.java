package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Rows of the cluster, as the services see them. Thread-safe; never blocks. Futures fail with a
 * {@link CoordinationException}, or with another exception for our own bugs.
 */
public interface RowStore {

  /** Reads one page of a slice, or counts it. */
  CompletableFuture<SlicePage> read(SliceRead read);

  /** Reads one page of a scan. */
  CompletableFuture<RangePage> readRange(RangeRead read);

  /**
   * Applies mutations. Whether enough replicas are up is decided for all mutations before anything
   * is sent. After that each key's mutation succeeds or fails by itself, and the call fails if any
   * of them failed.
   *
   * @param durable whether the mutations go through the commit log
   * @return the replicas that were asked, and those that had answered when the level was met
   */
  CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos);

  /**
   * As the other method, for a call that may be traced; by default nothing of the write is
   * recorded.
   *
   * @param trace null if the call is not traced
   */
  default CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations,
      boolean durable,
      Consistency consistency,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    return write(mutations, durable, consistency, deadlineNanos);
  }

  /**
   * Whether this node is so far behind with its writes that one must wait for room, and may be
   * refused after a while. A caller with many writes should begin no more meanwhile. False if there
   * are other nodes: rows that this node does not hold, or not alone, can be written meanwhile.
   */
  default boolean isBehind() {
    return false;
  }

  /**
   * Whether this node has no room for writes now and is making some, so that a write that it
   * refuses is worth repeating however long that takes. Also if there are other nodes.
   */
  default boolean isCatchingUp() {
    return false;
  }
}
