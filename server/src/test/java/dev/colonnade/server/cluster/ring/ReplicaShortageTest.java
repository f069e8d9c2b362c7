package dev.colonnade.server.cluster.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What keyspaces lack when there are fewer nodes than copies. */
final class ReplicaShortageTest {

  private static List<RingNode> nodes(String... datacenters) {
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 0; i < datacenters.length; i++) {
      nodes.add(
          new RingNode(
              "n" + i, "127.0.0." + i, 1, 2, datacenters[i], "r1", List.of(new byte[] {(byte) i})));
    }
    return nodes;
  }

  private static Keyspace simple(int factor) {
    return new Keyspace(
        "K", PlacementStrategy.SIMPLE, factor, new TreeMap<>(), true, new TreeMap<>());
  }

  private static Keyspace network(Map<String, Integer> replicas) {
    int sum = replicas.values().stream().mapToInt(Integer::intValue).sum();
    return new Keyspace(
        "N",
        PlacementStrategy.NETWORK_TOPOLOGY,
        sum,
        new TreeMap<>(replicas),
        true,
        new TreeMap<>());
  }

  private static String without(Keyspace keyspace, int leaving, List<RingNode> ring) {
    return ReplicaShortage.without(ring.get(leaving), ring, List.of(keyspace)).orElse("none");
  }

  @Test
  void aNodeThatLeavesMattersOnlyWhereCopiesBecomeFewer() {
    assertEquals("none", without(simple(3), 0, nodes("a", "a", "a", "a")));
    assertEquals(
        "K has 2 copies of each row instead of 3, so that THREE, ALL cannot be met, and TWO, QUORUM"
            + " only while no node that has a copy is down",
        without(simple(3), 0, nodes("a", "a", "a")));
    assertEquals(
        "K has 1 copy of each row instead of 3, so that TWO, THREE, QUORUM, ALL cannot be met",
        without(simple(3), 0, nodes("a", "a")));
    assertEquals("none", without(simple(1), 0, nodes("a", "a")));
  }

  @Test
  void aDataCentreIsCountedByItself() {
    Keyspace both = network(Map.of("a", 3, "b", 1));
    List<RingNode> ring = nodes("a", "a", "a", "b", "b", "c");
    assertEquals("none", without(both, 3, ring));
    assertEquals("none", without(both, 5, ring));
    assertEquals(
        "N has 3 copies of each row instead of 4 (2 instead of 3 in a), so that ALL cannot be met,"
            + " and THREE, QUORUM, LOCAL_QUORUM in a, EACH_QUORUM only while no node that has a"
            + " copy is down",
        without(both, 0, ring));
  }

  @Test
  void aChangeMayKeepAShortageButNotMakeOneWorse() {
    List<RingNode> two = nodes("a", "a");
    assertEquals(true, ReplicaShortage.of(simple(3), Optional.empty(), two).isPresent());
    assertEquals(false, ReplicaShortage.of(simple(2), Optional.empty(), two).isPresent());
    assertEquals(false, ReplicaShortage.of(simple(3), Optional.of(simple(3)), two).isPresent());
    assertEquals(false, ReplicaShortage.of(simple(3), Optional.of(simple(4)), two).isPresent());
    assertEquals(true, ReplicaShortage.of(simple(4), Optional.of(simple(3)), two).isPresent());
    Keyspace here = network(Map.of("a", 2));
    Keyspace there = network(Map.of("a", 2, "b", 1));
    assertEquals(false, ReplicaShortage.of(here, Optional.of(simple(2)), two).isPresent());
    assertEquals(true, ReplicaShortage.of(there, Optional.of(here), two).isPresent());
  }
}
