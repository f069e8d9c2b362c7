package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;

/**
 * A cluster of one node, which owns the whole ring.
 *
 * @param self the node
 * @param ring with only {@code self} in it
 */
public record StandaloneCluster(
    String clusterName,
    RingNode self,
    Ring ring,
    Partitioner partitioner,
    String snitch,
    String serverVersion)
    implements ClusterView {

  @Override
  public String nodeId() {
    return self.id();
  }
}
