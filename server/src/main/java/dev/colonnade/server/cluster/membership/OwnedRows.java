package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.gossip.LiveTopology;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Which rows belong on this node. Evaluated for each row, since the ring may change while rows are
 * scanned: a row that a change under way brings here belongs here, too. In doubt, a row belongs.
 */
final class OwnedRows implements Predicate<RowKey> {

  private final LiveTopology live;
  private final Function<RingNode, ReplicaPlacement> placing;

  /**
   * Covers the rows of one keyspace.
   *
   * @param placing the keyspace's placement, as this node sees it
   */
  OwnedRows(LiveTopology live, Function<RingNode, ReplicaPlacement> placing) {
    this.live = live;
    this.placing = placing;
  }

  /** Why rows cannot be deleted now; empty if they can. */
  static Optional<String> unsettled(RingOperation operation) {
    Topology topology = operation.topology();
    Optional<Topology.Place> own = topology.place(topology.self().id());
    if (own.isEmpty() || own.get().state() != Topology.RingState.NORMAL) {
      return Optional.of(
          "this node is not yet a member of the ring, or is changing its tokens ("
              + own.map(place -> place.state().name().toLowerCase(Locale.ROOT)).orElse("none yet")
              + "): run cleanup when that is done");
    }
    return operation.otherChange().map(other -> String.valueOf(other.getMessage()));
  }

  @Override
  public boolean test(RowKey key) {
    Topology topology = live.current();
    String selfId = topology.self().id();
    boolean isSettled =
        topology.place(selfId).filter(own -> own.state() == Topology.RingState.NORMAL).isPresent();
    if (!isSettled) {
      return true;
    }
    ReplicaPlacement placement = placing.apply(topology.self());
    return holds(topology.replicas(placement, key.token()), selfId)
        || holds(topology.pending(placement, key.token()), selfId);
  }

  private static boolean holds(List<RingNode> replicas, String selfId) {
    for (RingNode replica : replicas) {
      if (replica.id().equals(selfId)) {
        return true;
      }
    }
    return false;
  }
}
