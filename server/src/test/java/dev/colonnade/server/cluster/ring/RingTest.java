package dev.colonnade.server.cluster.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RingTest {

  private static RingNode node(String id, String datacenter, String rack, int... tokens) {
    List<byte[]> list = new ArrayList<>();
    for (int token : tokens) {
      list.add(token(token));
    }
    return new RingNode(id, "10.0.0." + id, 7000, 9160, datacenter, rack, list);
  }

  private static byte[] token(int value) {
    return new byte[] {(byte) value};
  }

  private static List<String> ids(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).toList();
  }

  private final Ring three =
      Ring.of(
          List.of(
              node("c", "dc1", "r1", 200),
              node("a", "dc1", "r1", 50),
              node("b", "dc1", "r1", 100)));

  @Test
  void aNodeOwnsWhatLiesAfterThePreviousTokenUpToItsOwn() {
    assertEquals("a", three.primaryFor(token(50)).id());
    assertEquals("b", three.primaryFor(token(51)).id());
    assertEquals("b", three.primaryFor(token(100)).id());
    assertEquals("c", three.primaryFor(token(101)).id());
  }

  @Test
  void theLowestTokenOwnsWhatWrapsAround() {
    assertEquals("a", three.primaryFor(token(201)).id());
    assertEquals("a", three.primaryFor(token(0)).id());
    assertEquals("a", three.primaryFor(new byte[0]).id());
  }

  @Test
  void rangesCoverEveryTokenOnce() {
    for (int value = 0; value < 256; value++) {
      byte[] token = token(value);
      assertEquals(1, three.ranges().stream().filter(r -> r.contains(token)).count(), "" + value);
      assertTrue(three.rangeOf(token).contains(token));
    }
    assertEquals(new TokenRange(token(200), token(50)), three.ranges().get(0));
    assertTrue(three.ranges().get(0).wraps());
    assertFalse(three.ranges().get(1).wraps());
  }

  @Test
  void aRingOfOneIsOneRangeFromItsTokenToItself() {
    Ring one = Ring.of(List.of(node("a", "dc1", "r1", 7)));
    assertEquals(List.of(new TokenRange(token(7), token(7))), one.ranges());
    assertEquals("a", one.primaryFor(token(200)).id());
    assertTrue(one.ranges().get(0).contains(token(7)));
    assertTrue(one.ranges().get(0).contains(token(8)));
  }

  @Test
  void tokensAndIdsMustDiffer() {
    RingNode a = node("a", "dc1", "r1", 1);
    assertThrows(IllegalArgumentException.class, () -> Ring.of(List.of()));
    assertThrows(IllegalArgumentException.class, () -> Ring.of(List.of(a, a)));
    assertThrows(
        IllegalArgumentException.class, () -> Ring.of(List.of(a, node("b", "dc1", "r1", 1))));
    assertThrows(IllegalArgumentException.class, () -> node("n", "dc1", "r1"));
  }

  @Test
  void simplePlacementTakesTheNextNodes() {
    assertEquals(List.of("b", "c"), place(simple(2), three, 60));
    assertEquals(List.of("c", "a", "b"), place(simple(3), three, 101));
    assertEquals(List.of("a", "b", "c"), place(simple(5), three, 240));
  }

  @Test
  void aNodeWithManyTokensIsOneReplica() {
    Ring ring = Ring.of(List.of(node("a", "dc1", "r1", 10, 20, 30), node("b", "dc1", "r1", 40)));
    assertEquals(List.of("a", "b"), place(simple(2), ring, 5));
  }

  @Test
  void oldTopologyGoesToAnotherDatacenterOnceAndAnotherRackOnce() {
    Ring ring =
        Ring.of(
            List.of(
                node("a", "dc1", "r1", 10),
                node("b", "dc1", "r1", 20),
                node("c", "dc2", "r1", 30),
                node("d", "dc2", "r2", 40),
                node("e", "dc1", "r2", 50),
                node("f", "dc1", "r3", 60)));
    ReplicaPlacement placement = placement(PlacementStrategy.OLD_NETWORK_TOPOLOGY, 4, Map.of());
    assertEquals(List.of("a", "c", "e", "b"), place(placement, ring, 10));
    assertEquals(List.of("d", "e", "c", "f"), place(placement, ring, 40));
    ReplicaPlacement two = placement(PlacementStrategy.OLD_NETWORK_TOPOLOGY, 2, Map.of());
    assertEquals(List.of("a", "c"), place(two, ring, 10));
    assertEquals(List.of("a"), place(oldTopology(1), ring, 10));
  }

  private static ReplicaPlacement oldTopology(int factor) {
    return placement(PlacementStrategy.OLD_NETWORK_TOPOLOGY, factor, Map.of());
  }

  @Test
  void topologyCountsEachDatacenterAndPrefersUnseenRacks() {
    Ring ring =
        Ring.of(
            List.of(
                node("a", "dc1", "r1", 10),
                node("b", "dc1", "r1", 20),
                node("c", "dc1", "r2", 30),
                node("x", "dc2", "r1", 15),
                node("y", "dc2", "r1", 25)));
    ReplicaPlacement placement =
        placement(PlacementStrategy.NETWORK_TOPOLOGY, 3, Map.of("dc1", 2, "dc2", 1));
    assertEquals(List.of("a", "c", "x"), place(placement, ring, 5));
    assertEquals(List.of("b", "c", "y"), place(placement, ring, 16));
    assertEquals(List.of("c", "a", "x"), place(placement, ring, 28));
    ReplicaPlacement all =
        placement(PlacementStrategy.NETWORK_TOPOLOGY, 8, Map.of("dc1", 3, "dc2", 5));
    assertEquals(List.of("a", "c", "b", "x", "y"), place(all, ring, 5));
    ReplicaPlacement one = placement(PlacementStrategy.NETWORK_TOPOLOGY, 1, Map.of("dc2", 1));
    assertEquals(List.of("x"), place(one, ring, 5));
  }

  @Test
  void localPlacementStaysOnTheNodeThatAsks() {
    assertEquals(List.of("c"), place(placement(PlacementStrategy.LOCAL, 1, Map.of()), three, 60));
  }

  private static ReplicaPlacement simple(int factor) {
    return placement(PlacementStrategy.SIMPLE, factor, Map.of());
  }

  private static ReplicaPlacement placement(
      PlacementStrategy strategy, int factor, Map<String, Integer> datacenters) {
    Keyspace keyspace =
        new Keyspace("k", strategy, factor, new TreeMap<>(datacenters), true, new TreeMap<>());
    return ReplicaPlacement.of(keyspace, node("c", "dc1", "r1", 200));
  }

  private static List<String> place(ReplicaPlacement placement, Ring ring, int token) {
    return ids(placement.replicas(ring, token(token)));
  }
}
