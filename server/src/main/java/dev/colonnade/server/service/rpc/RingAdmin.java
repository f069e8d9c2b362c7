package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.membership.MembershipProgress;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.admin.NodeOperations;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Changes this node's place in the ring, and repairs its replicas. Thread-safe; never blocks.
 * Listeners are called from any thread, one call at a time.
 */
public interface RingAdmin {

  /**
   * Repairs the ranges of this node with anti-entropy repair.
   *
   * @param within only ranges that end in it
   * @param isDry only compares
   */
  CompletableFuture<RepairProgress> repair(
      List<ColumnFamily> families,
      Optional<TokenRange> within,
      boolean isDry,
      Consumer<RepairProgress> listener);

  /**
   * Leaves the ring permanently.
   *
   * @param force even if a keyspace then wants more copies of a row than there are nodes
   */
  CompletableFuture<Void> decommission(boolean force, Consumer<MembershipProgress> listener);

  /** Moves this node to another token. */
  CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> listener);

  /** Moves this node to take load from the most loaded node. */
  CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> listener);

  /** Deletes rows that this node does not own; cancelling the future stops it. */
  CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families, Consumer<NodeOperations.WorkProgress> listener);

  /**
   * Removes a dead node from the ring.
   *
   * @param force even if a keyspace then wants more copies of a row than there are nodes
   */
  CompletableFuture<Void> remove(
      String nodeId, boolean force, Consumer<MembershipProgress> listener);
}
