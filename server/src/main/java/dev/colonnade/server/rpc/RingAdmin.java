package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.membership.MembershipProgress;
import dev.colonnade.server.repair.RepairProgress;
import dev.colonnade.server.ring.TokenRange;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Changes of the node's place in the ring, and of what its replicas hold. Thread-safe; never
 * blocks. Listeners are told from any thread, one call at a time.
 */
public interface RingAdmin {

  /**
   * Makes the replicas of what this node holds equal.
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
   * Leaves the ring for good.
   *
   * @param force also where a keyspace then wants more copies of a row than there are nodes
   */
  CompletableFuture<Void> decommission(boolean force, Consumer<MembershipProgress> listener);

  /** Takes another token. */
  CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> listener);

  /** Takes the token that relieves the fullest other node most. */
  CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> listener);

  /** Leaves out rows that do not belong on this node; cancelling it ends it. */
  CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families, Consumer<NodeOperations.WorkProgress> listener);

  /** Takes a dead node out of the ring. */
  CompletableFuture<Void> remove(String nodeId, Consumer<MembershipProgress> listener);
}
