package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Places copies on the owner; on the first node of the walk in another data centre; on the first on
 * another rack of the owner's; and on the rest in ring order. Formerly called RackAwareStrategy.
 */
record OldNetworkTopologyStrategy(int replicationFactor) implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    Ring.RingWalk walk = ring.walkFrom(token);
    RingNode owner = ring.primaryFor(token);
    @Nullable RingNode next = walk.next();
    List<RingNode> chosen = new ArrayList<>(List.of(owner));
    List<RingNode> passedOver = new ArrayList<>();
    boolean wantsDatacenter = !ring.hasOneDatacenter();
    boolean wantsRack = ring.racksOf(owner.datacenter()).size() > 1;
    while (chosen.size() < replicationFactor && (wantsDatacenter || wantsRack)) {
      next = walk.next();
      if (next == null) {
        break;
      }
      boolean elsewhere = !next.datacenter().equals(owner.datacenter());
      if (elsewhere ? wantsDatacenter : wantsRack && !next.rack().equals(owner.rack())) {
        chosen.add(next);
        wantsDatacenter &= !elsewhere;
        wantsRack &= elsewhere;
      } else {
        passedOver.add(next);
      }
    }
    for (RingNode node : passedOver) {
      if (chosen.size() < replicationFactor) {
        chosen.add(node);
      }
    }
    for (next = walk.next(); next != null && chosen.size() < replicationFactor; ) {
      chosen.add(next);
      next = walk.next();
    }
    return List.copyOf(chosen);
  }
}
