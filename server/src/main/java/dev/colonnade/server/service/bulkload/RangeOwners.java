package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.cluster.ring.Owners;
import dev.colonnade.server.cluster.ring.PlacementTable;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.bulkload.BulkLoadException.Refusal;
import java.util.function.Supplier;

/** Whether this node may take a load: it owns the ranges, and their owners do not change. */
final class RangeOwners {
  private final Supplier<Topology> topology;

  RangeOwners(Supplier<Topology> topology) {
    this.topology = topology;
  }

  /**
   * Refuses a load unless this node is a replica of all tokens in its ranges, and no other node is
   * about to become one: that one fetches what is visible now, and would miss these rows.
   */
  void require(LoadTarget target) {
    Topology now = topology.get();
    PlacementTable placement = now.placement(target.keyspace());
    for (TokenRange range : target.ranges()) {
      // Owners differ only between ranges that end in tokens of the ring as it is or will be.
      requireOwned(now, placement.owners(range.end()), range);
      requireOwned(now, placement, now.ring(), range);
      if (now.isChanging()) {
        requireOwned(now, placement, now.future(), range);
      }
    }
  }

  private static void requireOwned(
      Topology now, PlacementTable placement, Ring ring, TokenRange range) {
    for (TokenRange part : ring.ranges()) {
      if (range.contains(part.end())) {
        requireOwned(now, placement.owners(part.end()), range);
      }
    }
  }

  private static void requireOwned(Topology now, Owners owners, TokenRange range) {
    String self = now.self().id();
    boolean replica = false;
    for (RingNode node : owners.replicas()) {
      replica |= node.id().equals(self);
    }
    if (!replica) {
      throw new BulkLoadException(
          Refusal.NOT_A_REPLICA,
          "node " + self + " is no replica of all of the range " + range + "; describe the ring");
    }
    if (!owners.pending().isEmpty()) {
      throw new BulkLoadException(
          Refusal.RING_CHANGING,
          "node "
              + owners.pending().get(0).id()
              + " is about to become a replica of the range "
              + range
              + "; load when the change of the ring is done");
    }
  }
}
