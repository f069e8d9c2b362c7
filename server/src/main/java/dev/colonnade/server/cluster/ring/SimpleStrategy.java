package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Places copies on the next nodes of the ring, in whatever rack or data centre. Formerly called
 * RackUnawareStrategy.
 */
record SimpleStrategy(int replicationFactor) implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    Ring.RingWalk walk = ring.walkFrom(token);
    List<RingNode> chosen = new ArrayList<>(replicationFactor);
    while (chosen.size() < replicationFactor) {
      @Nullable RingNode next = walk.next();
      if (next == null) {
        break;
      }
      chosen.add(next);
    }
    return List.copyOf(chosen);
  }
}
