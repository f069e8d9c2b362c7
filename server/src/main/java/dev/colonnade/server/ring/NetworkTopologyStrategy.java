package dev.colonnade.server.ring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * So many copies in each data centre. Inside one, a walk from the token takes the first node of
 * every rack it has not met, and only then a second one of a rack.
 */
record NetworkTopologyStrategy(SortedMap<String, Integer> datacenterReplicas)
    implements ReplicaPlacement {

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    List<RingNode> walk = ring.clockwiseFrom(token);
    List<RingNode> chosen = new ArrayList<>();
    datacenterReplicas.forEach(
        (datacenter, count) -> chosen.addAll(inDatacenter(walk, datacenter, count)));
    return List.copyOf(chosen);
  }

  private static List<RingNode> inDatacenter(List<RingNode> walk, String datacenter, int count) {
    List<RingNode> firstOfRack = new ArrayList<>();
    List<RingNode> others = new ArrayList<>();
    Set<String> racks = new HashSet<>();
    for (RingNode node : walk) {
      if (node.datacenter().equals(datacenter)) {
        (racks.add(node.rack()) ? firstOfRack : others).add(node);
      }
    }
    firstOfRack.addAll(others);
    return firstOfRack.subList(0, Math.min(count, firstOfRack.size()));
  }
}
