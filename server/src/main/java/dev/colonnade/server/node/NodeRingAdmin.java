package dev.colonnade.server.node;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.membership.MembershipProgress;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.rpc.RingAdmin;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Carries out an operator's ring changes on this node.
 *
 * @param core started
 */
record NodeRingAdmin(NodeRuntime core) implements RingAdmin {

  @Override
  public CompletableFuture<RepairProgress> repair(
      List<ColumnFamily> families,
      Optional<TokenRange> within,
      boolean isDry,
      Consumer<RepairProgress> listener) {
    return core.repairs().repair(families, within, isDry, listener);
  }

  @Override
  public CompletableFuture<Void> decommission(
      boolean force, Consumer<MembershipProgress> listener) {
    return core.membership().decommission(force, listener);
  }

  @Override
  public CompletableFuture<Void> move(byte[] token, Consumer<MembershipProgress> listener) {
    return core.membership().move(token, listener);
  }

  @Override
  public CompletableFuture<Void> loadBalance(Consumer<MembershipProgress> listener) {
    return core.membership().loadBalance(listener);
  }

  @Override
  public CompletableFuture<Void> cleanUp(
      List<ColumnFamily> families, Consumer<NodeOperations.WorkProgress> listener) {
    return core.cleanUp(families, listener);
  }

  @Override
  public CompletableFuture<Void> remove(
      String nodeId, boolean force, Consumer<MembershipProgress> listener) {
    return core.membership().remove(nodeId, force, listener);
  }
}
