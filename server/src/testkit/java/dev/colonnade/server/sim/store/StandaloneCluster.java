package dev.colonnade.server.sim.store;

import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.consistency.ClusterView;

/**
 * A cluster of one node, which owns the whole ring.
 *
 * @param topology with only that node in it
 */
record StandaloneCluster(
    String clusterName,
    Topology topology,
    Partitioner partitioner,
    String snitch,
    String serverVersion)
    implements ClusterView {

  /** The cluster of one node. */
  static StandaloneCluster of(
      String clusterName,
      RingNode self,
      Partitioner partitioner,
      String snitch,
      String serverVersion) {
    return new StandaloneCluster(
        clusterName, Topology.alone(self), partitioner, snitch, serverVersion);
  }

  @Override
  public String nodeId() {
    return self().id();
  }
}
