package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.Topology;
import java.util.Optional;

/** The cluster as this node sees it. Thread-safe. */
public interface ClusterView {

  /** What the operator called the cluster. */
  String clusterName();

  /** This node's id, which is also its id in the ring. */
  String nodeId();

  /** Decides which node owns a key. */
  Partitioner partitioner();

  /** The snitch's name, which says where nodes stand. */
  String snitch();

  /** The server's version, as its jar says. */
  String serverVersion();

  /** Why this node cannot coordinate for now, though it serves; empty if it can. */
  default Optional<String> unready() {
    return Optional.empty();
  }

  /** Who owns what now, who is about to, and who is alive. One request decides by one snapshot. */
  Topology topology();

  /** This node in the ring. */
  default RingNode self() {
    return topology().self();
  }

  /** Who owns what now. */
  default Ring ring() {
    return topology().ring();
  }
}
