package dev.colonnade.server.ring;

import java.util.List;

/** The next so many nodes on the ring, wherever they stand. Once called RackUnawareStrategy. */
record SimpleStrategy(int replicationFactor) implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    List<RingNode> walk = ring.clockwiseFrom(token);
    return List.copyOf(walk.subList(0, Math.min(replicationFactor, walk.size())));
  }
}
