package dev.colonnade.server.node;

import dev.colonnade.server.coordinator.ClusterView;
import dev.colonnade.server.manifest.NodeIdentity;
import dev.colonnade.server.ring.Partitioner;
import dev.colonnade.server.ring.Topology;
import org.jspecify.annotations.Nullable;

/** The cluster as this node last heard of it. Thread-safe. */
final class LiveCluster implements ClusterView {

  private final NodeIdentity identity;
  private final Partitioner partitioner;
  private final String snitch;
  private final String version;
  private volatile @Nullable Topology topology;

  LiveCluster(NodeIdentity identity, Partitioner partitioner, String snitch, String version) {
    this.identity = identity;
    this.partitioner = partitioner;
    this.snitch = snitch;
    this.version = version;
  }

  void become(Topology changed) {
    topology = changed;
  }

  @Override
  public String clusterName() {
    return identity.clusterName();
  }

  @Override
  public String nodeId() {
    return identity.id();
  }

  @Override
  public Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public String snitch() {
    return snitch;
  }

  @Override
  public String serverVersion() {
    return version;
  }

  @Override
  public Topology topology() {
    Topology known = topology;
    if (known == null) {
      throw new IllegalStateException("the node has not taken its place in the ring yet");
    }
    return known;
  }
}
