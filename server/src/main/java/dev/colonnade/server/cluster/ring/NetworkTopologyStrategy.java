package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Places a given number of copies in each data centre. Within one, a walk from the token takes the
 * first node of every new rack, and only then a second one of a rack.
 */
record NetworkTopologyStrategy(SortedMap<String, Integer> datacenterReplicas)
    implements ReplicaPlacement {

  /** The choice in one data centre, while the walk goes on. */
  private static final class Choice {
    private final String datacenter;
    private final int wanted;
    private final int racks;
    private final Set<String> racksMet = new HashSet<>();
    private final List<RingNode> firstOfRack = new ArrayList<>();
    private final List<RingNode> others = new ArrayList<>();

    Choice(Ring ring, String datacenter, int wanted) {
      this.datacenter = datacenter;
      this.wanted = wanted;
      this.racks = ring.racksOf(datacenter).size();
    }

    void meet(RingNode node) {
      if (node.datacenter().equals(datacenter) && !isDone()) {
        (racksMet.add(node.rack()) ? firstOfRack : others).add(node);
      }
    }

    /** Whether the rest of the walk cannot change it. */
    boolean isDone() {
      return firstOfRack.size() >= wanted
          || (racksMet.size() == racks
              && (racks == 0 || firstOfRack.size() + others.size() >= wanted));
    }

    void addTo(List<RingNode> chosen) {
      firstOfRack.addAll(others);
      chosen.addAll(firstOfRack.subList(0, Math.min(wanted, firstOfRack.size())));
    }
  }

  @Override
  public List<RingNode> replicas(Ring ring, byte[] token) {
    List<Choice> choices = new ArrayList<>(datacenterReplicas.size());
    datacenterReplicas.forEach(
        (datacenter, wanted) -> choices.add(new Choice(ring, datacenter, wanted)));
    Ring.RingWalk walk = ring.walkFrom(token);
    while (!areDone(choices)) {
      @Nullable RingNode next = walk.next();
      if (next == null) {
        break;
      }
      for (Choice choice : choices) {
        choice.meet(next);
      }
    }
    List<RingNode> chosen = new ArrayList<>();
    choices.forEach(choice -> choice.addTo(chosen));
    return List.copyOf(chosen);
  }

  private static boolean areDone(List<Choice> choices) {
    for (Choice choice : choices) {
      if (!choice.isDone()) {
        return false;
      }
    }
    return true;
  }
}
