package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Finds keyspaces that want more copies of a row than there are nodes to hold them, and says what
 * follows for the levels of consistency. Pure.
 */
public final class ReplicaShortage {

  private ReplicaShortage() {}

  /**
   * What a keyspace would lack without a node; empty if each row keeps as many copies as it has.
   *
   * @param ring all nodes of it, the leaving one included
   */
  public static Optional<String> without(
      RingNode leaving, Collection<RingNode> ring, Collection<Keyspace> keyspaces) {
    List<RingNode> left = ring.stream().filter(node -> !node.id().equals(leaving.id())).toList();
    StringJoiner lacking = new StringJoiner("; ");
    for (Keyspace keyspace : keyspaces) {
      if (!keyspace.isSystem() && copies(keyspace, left) < copies(keyspace, List.copyOf(ring))) {
        lacking.add(consequences(keyspace, left));
      }
    }
    return lacking.length() == 0 ? Optional.empty() : Optional.of(lacking.toString());
  }

  /**
   * What a keyspace lacks that is created, or has been changed; empty if there are enough nodes, or
   * if it asks for no more copies than before in any data centre that has too few.
   *
   * @param before the keyspace before the change; empty if it is new
   */
  public static Optional<String> of(
      Keyspace after, Optional<Keyspace> before, Collection<RingNode> ring) {
    List<RingNode> nodes = List.copyOf(ring);
    SortedMap<String, Integer> wantedBefore =
        before
            .filter(known -> known.strategy() == after.strategy())
            .map(ReplicaShortage::wanted)
            .orElseGet(TreeMap::new);
    boolean worse =
        wanted(after).entrySet().stream()
            .anyMatch(
                each ->
                    each.getValue() > nodesIn(each.getKey(), nodes)
                        && each.getValue() > wantedBefore.getOrDefault(each.getKey(), 0));
    return worse ? Optional.of(consequences(after, nodes)) : Optional.empty();
  }

  /** Copies by data centre; those that may be anywhere under the empty name. */
  private static SortedMap<String, Integer> wanted(Keyspace keyspace) {
    return keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY
        ? keyspace.datacenterReplicas()
        : new TreeMap<>(java.util.Map.of("", keyspace.replicationFactor()));
  }

  private static int nodesIn(String datacenter, List<RingNode> nodes) {
    return (int)
        nodes.stream()
            .filter(node -> datacenter.isEmpty() || node.datacenter().equals(datacenter))
            .count();
  }

  private static int copies(Keyspace keyspace, List<RingNode> nodes) {
    int copies = 0;
    for (var each : wanted(keyspace).entrySet()) {
      copies += Math.min(each.getValue(), nodesIn(each.getKey(), nodes));
    }
    return copies;
  }

  /** As in "K has 2 copies of each row instead of 3: THREE, ALL cannot be met, …". */
  private static String consequences(Keyspace keyspace, List<RingNode> nodes) {
    List<String> where = new ArrayList<>();
    List<String> unmet = new ArrayList<>();
    List<String> exact = new ArrayList<>();
    int copies = copies(keyspace, nodes);
    int factor = keyspace.replicationFactor();
    level("TWO", 2, factor, copies, unmet, exact);
    level("THREE", 3, factor, copies, unmet, exact);
    level("QUORUM", factor / 2 + 1, factor, copies, unmet, exact);
    if (keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY) {
      List<String> quorums = new ArrayList<>();
      keyspace
          .datacenterReplicas()
          .forEach(
              (datacenter, wanted) -> {
                int there = Math.min(wanted, nodesIn(datacenter, nodes));
                if (there < wanted) {
                  where.add(there + " instead of " + wanted + " in " + datacenter);
                  level(
                      "LOCAL_QUORUM in " + datacenter, wanted / 2 + 1, wanted, there, unmet, exact);
                  level("EACH_QUORUM", wanted / 2 + 1, wanted, there, unmet, quorums);
                }
              });
      quorums.stream().distinct().filter(name -> !unmet.contains(name)).forEach(exact::add);
    }
    level("ALL", factor, factor, copies, unmet, exact);
    List<String> never = unmet.stream().distinct().toList();
    return keyspace.name()
        + " has "
        + copies
        + (copies == 1 ? " copy" : " copies")
        + " of each row instead of "
        + factor
        + (where.isEmpty() ? "" : " (" + String.join(", ", where) + ")")
        + (never.isEmpty() ? "" : ", so that " + String.join(", ", never) + " cannot be met")
        + (exact.isEmpty()
            ? ""
            : (never.isEmpty() ? ", so that " : ", and ")
                + String.join(", ", exact)
                + " only while no node that has a copy is down");
  }

  /** Tells whether a level, if the keyspace could meet it, cannot be met, or just so. */
  private static void level(
      String name, int required, int wanted, int copies, List<String> unmet, List<String> exact) {
    if (required > wanted) {
      return;
    }
    if (required > copies) {
      unmet.add(name);
    } else if (required == copies) {
      exact.add(name);
    }
  }
}
