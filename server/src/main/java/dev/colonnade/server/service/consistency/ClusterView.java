package dev.colonnade.server.service.consistency;

import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;

/** The cluster as this node sees it. Thread-safe. */
public interface ClusterView {

  /** The cluster's name, as configured by the operator. */
  String clusterName();

  /** This node's id, which is also its id in the ring. */
  String nodeId();

  /** Decides which node owns a key. */
  Partitioner partitioner();

  /** The name of the snitch, which determines the data centre and rack of nodes. */
  String snitch();

  /** The server's version, as recorded in its jar. */
  String serverVersion();

  /**
   * Returns why this node cannot coordinate requests now although it is running; empty if it can.
   */
  default Optional<String> unready() {
    return Optional.empty();
  }

  /**
   * The schema versions that the other members announce now, by node id; of a node that is down,
   * what it announced last.
   */
  default SortedMap<String, String> announcedSchemas() {
    return Collections.emptySortedMap();
  }

  /**
   * The ring with present and pending owners and the nodes that are up. One request uses one
   * snapshot of it.
   */
  Topology topology();

  /** This node's entry in the ring. */
  default RingNode self() {
    return topology().self();
  }

  /** The present owners. */
  default Ring ring() {
    return topology().ring();
  }
}
