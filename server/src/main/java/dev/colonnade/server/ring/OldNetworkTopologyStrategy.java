package dev.colonnade.server.ring;

import java.util.ArrayList;
import java.util.List;

/**
 * The owner; the first node met in another data centre; the first met on another rack of the
 * owner's; the rest in ring order. Once called RackAwareStrategy.
 */
record OldNetworkTopologyStrategy(int replicationFactor) implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    List<RingNode> walk = ring.clockwiseFrom(token);
    RingNode owner = walk.get(0);
    List<RingNode> chosen = new ArrayList<>(List.of(owner));
    boolean hasOtherDatacenter = false;
    boolean hasOtherRack = false;
    for (RingNode node : walk) {
      if (chosen.size() >= replicationFactor) {
        break;
      }
      if (!node.datacenter().equals(owner.datacenter())) {
        if (!hasOtherDatacenter) {
          chosen.add(node);
          hasOtherDatacenter = true;
        }
      } else if (!node.rack().equals(owner.rack()) && !hasOtherRack) {
        chosen.add(node);
        hasOtherRack = true;
      }
    }
    for (RingNode node : walk) {
      if (chosen.size() >= replicationFactor) {
        break;
      }
      if (!chosen.contains(node)) {
        chosen.add(node);
      }
    }
    return List.copyOf(chosen);
  }
}
