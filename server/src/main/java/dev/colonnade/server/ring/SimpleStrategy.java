package dev.colonnade.server.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The next so many nodes on the ring, wherever they stand. Once called RackUnawareStrategy. */
record SimpleStrategy(int replicationFactor) implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    Ring.Walk walk = ring.walkFrom(token);
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
