package dev.colonnade.server.cluster.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tables against plain rules, on random rings. */
class PlacementTableTest {

  private static final int RINGS = 300;
  private static final List<Topology.RingState> STATES = List.of(Topology.RingState.values());

  private static Keyspace keyspace(RandomSource random) {
    PlacementStrategy strategy =
        List.of(
                PlacementStrategy.SIMPLE,
                PlacementStrategy.OLD_NETWORK_TOPOLOGY,
                PlacementStrategy.NETWORK_TOPOLOGY)
            .get(random.nextInt(3));
    TreeMap<String, Integer> datacenters = new TreeMap<>();
    if (strategy == PlacementStrategy.NETWORK_TOPOLOGY) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        datacenters.put("dc" + i, 1 + random.nextInt(5));
      }
    }
    int factor =
        datacenters.isEmpty()
            ? 1 + random.nextInt(6)
            : datacenters.values().stream().mapToInt(Integer::intValue).sum();
    return new Keyspace("k", strategy, factor, datacenters, true, new TreeMap<>());
  }

  private static List<Topology.Place> places(RandomSource random) {
    Set<Integer> taken = new HashSet<>();
    int tokensEach = 1 + random.nextInt(5);
    List<Topology.Place> places = new ArrayList<>();
    for (int i = random.nextInt(12); i >= 0; i--) {
      List<byte[]> tokens = tokens(tokensEach, taken, random);
      RingNode node =
          new RingNode(
              "n" + i,
              "10.0.0." + i,
              7000,
              9160,
              "dc" + random.nextInt(3),
              "r" + random.nextInt(3),
              tokens);
      Topology.RingState state = STATES.get(random.nextInt(4));
      places.add(
          new Topology.Place(
              node,
              state,
              state == Topology.RingState.MOVING ? tokens(1, taken, random) : List.of(),
              random.nextInt(4) > 0));
    }
    return places;
  }

  private static List<byte[]> tokens(int count, Set<Integer> taken, RandomSource random) {
    List<byte[]> tokens = new ArrayList<>();
    while (tokens.size() < count) {
      int token = random.nextInt(250);
      if (taken.add(token)) {
        tokens.add(token(token));
      }
    }
    return tokens;
  }

  private static byte[] token(int value) {
    return new byte[] {(byte) value};
  }

  private static List<String> ids(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).toList();
  }

  @Test
  void eachTokenHasTheOwnersThatThePlainRuleGivesIt() {
    for (int seed = 0; seed < RINGS; seed++) {
      RandomSource random = new SeededRandom(seed);
      List<Topology.Place> places = places(random);
      Topology topology = Topology.of(places.get(0).node(), places);
      Keyspace keyspace = keyspace(random);
      PlacementTable table = topology.placement(keyspace);
      for (int value = 0; value < 256; value++) {
        String message = "seed " + seed + ", token " + value + ", " + keyspace;
        List<String> now = plain(keyspace, topology.ring(), token(value));
        List<String> later = new ArrayList<>(plain(keyspace, topology.future(), token(value)));
        later.removeAll(now);
        Owners owners = table.owners(token(value));
        assertEquals(now, ids(owners.replicas()), message);
        assertEquals(later, ids(owners.pending()), message);
      }
    }
  }

  @Test
  void rangesOfTheSameOwnersReachAsFarAsThatIsSo() {
    for (int seed = 0; seed < RINGS; seed++) {
      RandomSource random = new SeededRandom(seed);
      List<Topology.Place> places = places(random);
      Topology topology = Topology.of(places.get(0).node(), places);
      PlacementTable table = topology.placement(keyspace(random));
      List<List<Set<String>>> members =
          IntStream.range(0, 256).mapToObj(value -> members(table, value)).toList();
      for (int value = 0; value < 256; value++) {
        byte @Nullable [] end = table.endOfSameOwners(token(value), Integer.MAX_VALUE);
        int last = end == null ? 255 : end[0] & 0xFF;
        String message = "seed " + seed + ", token " + value + ", to " + last;
        assertTrue(last >= value, message);
        for (int same = value; same <= last; same++) {
          assertEquals(members.get(value), members.get(same), message);
        }
        if (last < 255) {
          assertTrue(!members.get(value).equals(members.get(last + 1)), message);
        }
        byte @Nullable [] cut = table.endOfSameOwners(token(value), 1);
        int cutAt = cut == null ? 255 : cut[0] & 0xFF;
        assertTrue(cutAt >= value && cutAt <= last, message + ", cut at " + cutAt);
      }
    }
  }

  private static List<Set<String>> members(PlacementTable table, int value) {
    Owners owners = table.owners(token(value));
    return List.of(new TreeSet<>(ids(owners.replicas())), new TreeSet<>(ids(owners.pending())));
  }

  @Test
  void aTopologyThatDiffersOnlyInWhoIsAliveKeepsWhatWasWorkedOut() {
    RandomSource random = new SeededRandom(1);
    List<Topology.Place> places = places(random);
    Keyspace keyspace = keyspace(random);
    RingNode self = places.get(0).node();
    Topology before = Topology.of(self, places);
    Owners owners = before.placement(keyspace).owners(token(7));
    List<Topology.Place> others = new ArrayList<>();
    for (Topology.Place place : places) {
      RingNode node = place.node();
      List<byte[]> copies = node.tokens().stream().map(byte[]::clone).toList();
      RingNode copy =
          new RingNode(
              node.id(),
              node.address(),
              node.peerPort(),
              node.clientPort(),
              node.datacenter(),
              node.rack(),
              copies);
      others.add(new Topology.Place(copy, place.state(), place.newTokens(), !place.alive()));
    }
    Topology after = Topology.of(self, others).following(before);
    assertSame(owners, after.placement(keyspace).owners(token(7)));
    assertSame(before.placement(keyspace), after.placement(keyspace));
    for (Topology.Place place : others) {
      boolean isSelf = place.node().id().equals(self.id());
      assertEquals(isSelf || place.alive(), after.isAlive(place.node().id()));
    }
    Topology without = Topology.of(self, others.subList(1, others.size())).following(after);
    assertNotSame(after.placement(keyspace), without.placement(keyspace));
  }

  @Test
  void anEntryIsFoundAfterAFewStepsHoweverManyNodesThereAre() {
    RandomSource random = new SeededRandom(2);
    List<RingNode> nodes = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      List<byte[]> tokens = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        byte[] token = new byte[16];
        random.nextBytes(token);
        tokens.add(token);
      }
      nodes.add(new RingNode("n" + i, "n" + i, 1, 1, "dc" + i % 2, "r" + i % 3, tokens));
    }
    Ring ring = Ring.of(nodes);
    Ring.RingWalk walk = ring.walkFrom(nodes.get(0).tokens().get(0));
    for (int i = 0; i < 3; i++) {
      walk.next();
    }
    assertTrue(walk.passed() < 10, walk.passed() + " tokens passed for three nodes");
    Topology topology =
        Topology.of(
            nodes.get(0),
            nodes.stream()
                .map(n -> new Topology.Place(n, Topology.RingState.NORMAL, List.of(), true))
                .toList());
    Keyspace keyspace =
        new Keyspace("k", PlacementStrategy.SIMPLE, 3, new TreeMap<>(), true, new TreeMap<>());
    PlacementTable table = topology.placement(keyspace);
    byte[] token = nodes.get(500).tokens().get(3);
    assertSame(table.owners(token), topology.placement(keyspace).owners(token));
  }

  /** The strategies as their comments say, by a walk that meets every node. */
  private static List<String> plain(Keyspace keyspace, Ring ring, byte[] token) {
    List<RingNode> walk = Clockwise.from(ring, token);
    return ids(
        switch (keyspace.strategy()) {
          case SIMPLE -> walk.subList(0, Math.min(walk.size(), keyspace.replicationFactor()));
          case OLD_NETWORK_TOPOLOGY -> plainOld(walk, keyspace.replicationFactor());
          case NETWORK_TOPOLOGY -> plainNew(walk, keyspace.datacenterReplicas());
          case LOCAL -> throw new IllegalArgumentException("not on the ring");
        });
  }

  private static List<RingNode> plainOld(List<RingNode> walk, int factor) {
    RingNode owner = walk.get(0);
    List<RingNode> chosen = new ArrayList<>(List.of(owner));
    boolean datacenter = false;
    boolean rack = false;
    for (RingNode node : walk) {
      if (chosen.size() < factor && !node.datacenter().equals(owner.datacenter())) {
        if (!datacenter) {
          chosen.add(node);
          datacenter = true;
        }
      } else if (chosen.size() < factor && !node.rack().equals(owner.rack()) && !rack) {
        chosen.add(node);
        rack = true;
      }
    }
    for (RingNode node : walk) {
      if (chosen.size() < factor && !chosen.contains(node)) {
        chosen.add(node);
      }
    }
    return chosen;
  }

  private static List<RingNode> plainNew(List<RingNode> walk, Map<String, Integer> wanted) {
    List<RingNode> chosen = new ArrayList<>();
    wanted.forEach(
        (datacenter, count) -> {
          List<RingNode> firstOfRack = new ArrayList<>();
          List<RingNode> others = new ArrayList<>();
          Set<String> racks = new HashSet<>();
          for (RingNode node : walk) {
            if (node.datacenter().equals(datacenter)) {
              (racks.add(node.rack()) ? firstOfRack : others).add(node);
            }
          }
          firstOfRack.addAll(others);
          chosen.addAll(firstOfRack.subList(0, Math.min(count, firstOfRack.size())));
        });
    return chosen;
  }
}
