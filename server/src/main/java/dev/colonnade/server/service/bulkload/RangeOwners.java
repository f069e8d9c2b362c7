package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.Owners;
import dev.colonnade.server.cluster.ring.PlacementTable;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.bulkload.BulkLoadException.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Who owns the ranges of a load: this node may take it if it does, and no owner changes. */
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
      for (Owners owners : owners(now, placement, range)) {
        requireReplica(owners, now.self().id(), range);
        requireSettled(owners, range);
      }
    }
  }

  /** Refuses a repair unless a node is a replica of all tokens in the ranges. */
  void requireReplica(Keyspace keyspace, List<TokenRange> ranges, String nodeId) {
    Topology now = topology.get();
    PlacementTable placement = now.placement(keyspace);
    for (TokenRange range : ranges) {
      for (Owners owners : owners(now, placement, range)) {
        requireReplica(owners, nodeId, range);
      }
    }
  }

  /** Owners differ only between ranges that end in tokens of the ring as it is or will be. */
  private static List<Owners> owners(Topology now, PlacementTable placement, TokenRange range) {
    List<Owners> owners = new ArrayList<>();
    owners.add(placement.owners(range.end()));
    addOwners(now.ring(), placement, range, owners);
    if (now.isChanging()) {
      addOwners(now.future(), placement, range, owners);
    }
    return owners;
  }

  private static void addOwners(
      Ring ring, PlacementTable placement, TokenRange range, List<Owners> owners) {
    for (TokenRange part : ring.ranges()) {
      if (range.contains(part.end())) {
        owners.add(placement.owners(part.end()));
      }
    }
  }

  private static void requireReplica(Owners owners, String nodeId, TokenRange range) {
    if (owners.replicas().stream().noneMatch(node -> node.id().equals(nodeId))) {
      throw new BulkLoadException(
          Refusal.NOT_A_REPLICA,
          "node " + nodeId + " is no replica of all of the range " + range + "; describe the ring");
    }
  }

  private static void requireSettled(Owners owners, TokenRange range) {
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
