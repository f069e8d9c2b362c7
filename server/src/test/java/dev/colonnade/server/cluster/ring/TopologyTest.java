package dev.colonnade.server.cluster.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.cluster.ring.Topology.Place;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TopologyTest {

  private static final int TOKENS = 256;
  private static final List<RingState> STATES = List.of(RingState.values());

  private static RingNode node(String id, int... tokens) {
    List<byte[]> list = new ArrayList<>();
    for (int token : tokens) {
      list.add(token(token));
    }
    int number = id.charAt(0);
    return new RingNode(
        id, "10.0.0." + number, 7000, 9160, "dc" + number % 2, "r" + number % 3, list);
  }

  private static byte[] token(int value) {
    return new byte[] {(byte) value};
  }

  private static Place place(RingNode node, RingState state) {
    return new Place(node, state, List.of(), true);
  }

  private static ReplicaPlacement simple(int factor) {
    return new SimpleStrategy(factor);
  }

  private static List<String> ids(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).toList();
  }

  private final RingNode a = node("a", 50);
  private final RingNode b = node("b", 100);
  private final RingNode c = node("c", 200);

  @Test
  void aNodeAloneOwnsEverythingAndAwaitsNoOther() {
    Topology alone = Topology.alone(a);
    assertSame(a, alone.self());
    assertSame(alone.ring(), alone.future());
    assertEquals(List.of("a"), ids(alone.replicas(simple(3), token(7))));
    assertEquals(List.of(), alone.pending(simple(3), token(7)));
    assertEquals(
        List.of(new TokenRange(token(50), token(50))),
        Topology.rangesOf(alone.ring(), simple(3), "a"));
    assertTrue(alone.isAlive("a"));
    assertFalse(alone.isAlive("b"));
  }

  @Test
  void whereNoNodeServesTheNodeItselfIsTheRing() {
    Topology first =
        Topology.of(a, List.of(place(a, RingState.JOINING), place(b, RingState.JOINING)));
    assertEquals(List.of("a"), ids(first.ring().nodes()));
    Topology last = Topology.of(a, List.of(place(a, RingState.LEAVING)));
    assertEquals(List.of("a"), ids(last.future().nodes()));
    assertEquals(List.of("b"), ids(Topology.of(b, List.of()).ring().nodes()));
  }

  @Test
  void aJoiningNodeIsPendingForWhatItWillOwn() {
    Topology topology =
        Topology.of(
            a,
            List.of(
                place(a, RingState.NORMAL),
                place(b, RingState.NORMAL),
                place(c, RingState.JOINING)));
    assertEquals(List.of("a", "b"), ids(topology.ring().nodes()));
    assertEquals(List.of("c"), ids(topology.pending(simple(1), token(150))));
    assertEquals(List.of(), topology.pending(simple(1), token(40)));
    assertEquals(List.of("c"), ids(topology.pending(simple(2), token(60))));
  }

  @Test
  void theHeirOfALeavingNodeIsPending() {
    Topology topology =
        Topology.of(
            a,
            List.of(
                place(a, RingState.NORMAL),
                place(b, RingState.LEAVING),
                place(c, RingState.NORMAL)));
    assertEquals(List.of("b"), ids(topology.replicas(simple(1), token(80))));
    assertEquals(List.of("c"), ids(topology.pending(simple(1), token(80))));
    assertEquals(List.of(), topology.pending(simple(1), token(40)));
  }

  @Test
  void aMovingNodeServesItsOldTokensAndIsPendingForItsNewOnes() {
    Topology topology =
        Topology.of(
            a,
            List.of(
                place(a, RingState.NORMAL),
                new Place(b, RingState.MOVING, List.of(token(250)), true),
                place(c, RingState.NORMAL)));
    assertEquals(List.of("b"), ids(topology.replicas(simple(1), token(80))));
    assertEquals(List.of("c"), ids(topology.pending(simple(1), token(80))));
    assertEquals(List.of("b"), ids(topology.pending(simple(1), token(240))));
  }

  @Test
  void aNodeThatTakesAnothersPlaceHasItsTokens() {
    RingNode heir = node("h", 100);
    Topology topology =
        Topology.of(
            a,
            List.of(
                place(a, RingState.NORMAL),
                new Place(b, RingState.LEAVING, List.of(), false),
                place(c, RingState.NORMAL),
                place(heir, RingState.JOINING)));
    for (int token = 0; token < TOKENS; token++) {
      boolean owned = ids(topology.replicas(simple(2), token(token))).contains("b");
      assertEquals(
          owned ? List.of("h") : List.of(), ids(topology.pending(simple(2), token(token))));
    }
    assertFalse(topology.isAlive("b"));
    assertTrue(topology.isAlive("h"));
  }

  @Test
  void idsDifferAndNewTokensBelongToMovingNodes() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Topology.of(a, List.of(place(a, RingState.NORMAL), place(a, RingState.JOINING))));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Place(a, RingState.NORMAL, List.of(token(1)), true));
    assertThrows(
        IllegalArgumentException.class, () -> new Place(a, RingState.MOVING, List.of(), true));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            Topology.of(
                a, List.of(place(a, RingState.NORMAL), place(node("z", 50), RingState.JOINING))));
  }

  @Test
  void rangesOfAllNodesCoverEveryTokenAsOftenAsThereAreCopies() {
    for (long seed = 1; seed <= 100; seed++) {
      Topology topology = random(new Random(seed));
      for (ReplicaPlacement placement : placements(topology.self())) {
        for (Ring ring : List.of(topology.ring(), topology.future())) {
          for (int value = 0; value < TOKENS; value += 3) {
            byte[] token = token(value);
            Set<String> holders = new TreeSet<>();
            for (RingNode node : ring.nodes()) {
              long ranges =
                  Topology.rangesOf(ring, placement, node.id()).stream()
                      .filter(range -> range.contains(token))
                      .count();
              assertTrue(ranges <= 1, "seed " + seed);
              if (ranges == 1) {
                holders.add(node.id());
              }
            }
            assertEquals(
                new TreeSet<>(ids(placement.replicas(ring, token))), holders, "seed " + seed);
          }
        }
      }
    }
  }

  @Test
  void ownersAndPendingTogetherHoldTheFutureOwnersAndNoneTwice() {
    for (long seed = 1; seed <= 1_000; seed++) {
      Topology topology = random(new Random(seed));
      for (ReplicaPlacement placement : placements(topology.self())) {
        for (int value = 0; value < TOKENS; value += 7) {
          List<String> now = ids(topology.replicas(placement, token(value)));
          List<String> pending = ids(topology.pending(placement, token(value)));
          List<String> later = ids(placement.replicas(topology.future(), token(value)));
          Set<String> expected = new TreeSet<>(later);
          expected.removeAll(now);
          assertEquals(expected, new TreeSet<>(pending), "seed " + seed);
          assertEquals(expected.size(), pending.size(), "seed " + seed);
        }
      }
      boolean steady =
          topology.places().stream().allMatch(place -> place.state() == RingState.NORMAL);
      if (steady) {
        assertSame(topology.ring(), topology.future(), "seed " + seed);
      }
    }
  }

  private static List<ReplicaPlacement> placements(RingNode self) {
    TreeMap<String, Integer> datacenters = new TreeMap<>();
    datacenters.put("dc0", 2);
    datacenters.put("dc1", 1);
    return List.of(
        simple(1),
        simple(3),
        new OldNetworkTopologyStrategy(3),
        ReplicaPlacement.of(
            new Keyspace(
                "k", PlacementStrategy.NETWORK_TOPOLOGY, 3, datacenters, true, new TreeMap<>()),
            self));
  }

  /** One to eight nodes of one to four tokens in all states; the first one is normal. */
  private static Topology random(Random random) {
    List<Integer> free =
        random.ints(0, TOKENS).distinct().limit(70).boxed().collect(Collectors.toList());
    List<Place> places = new ArrayList<>();
    int nodes = 1 + random.nextInt(8);
    for (int i = 0; i < nodes; i++) {
      RingNode node = node("" + (char) ('a' + i), take(free, 1 + random.nextInt(4)));
      RingState state = i == 0 ? RingState.NORMAL : STATES.get(random.nextInt(STATES.size()));
      List<byte[]> newTokens =
          state == RingState.MOVING
              ? node("x", take(free, 1 + random.nextInt(4))).tokens()
              : List.of();
      places.add(new Place(node, state, newTokens, random.nextBoolean()));
    }
    return Topology.of(places.get(0).node(), places);
  }

  private static int[] take(List<Integer> free, int count) {
    int[] taken = new int[count];
    for (int i = 0; i < count; i++) {
      taken[i] = free.remove(free.size() - 1);
    }
    return taken;
  }
}
