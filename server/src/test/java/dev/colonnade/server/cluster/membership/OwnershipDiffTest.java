package dev.colonnade.server.cluster.membership;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.node.platform.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Every write that a quorum has before a change, each quorum has after it, wherever nodes are
 * placed.
 */
class OwnershipDiffTest {

  private static final long SEED = 20261122;
  private static final int RINGS = 150;

  private final RandomSource random = new SeededRandom(SEED);

  @Test
  void noQuorumMissesWhatOneHadBefore() {
    for (int i = 0; i < RINGS; i++) {
      List<RingNode> nodes = new ArrayList<>();
      int size = 4 + random.nextInt(5);
      for (int n = 0; n < size; n++) {
        nodes.add(node("n" + n));
      }
      List<RingNode> without = nodes.subList(1, size);
      List<RingNode> moved = new ArrayList<>(without);
      moved.add(0, moved(nodes.get(0)));
      for (ReplicaPlacement placement : placements(nodes)) {
        require(placement, Ring.of(without), Ring.of(nodes), "join " + i);
        require(placement, Ring.of(nodes), Ring.of(without), "departure " + i);
        require(placement, Ring.of(nodes), Ring.of(moved), "move " + i);
      }
    }
  }

  /** Where "n0" is the one that comes, goes or moves, with three copies. */
  private static void require(ReplicaPlacement placement, Ring now, Ring later, String what) {
    String words = what + ", seed " + SEED + ", " + placement;
    List<OwnershipDiff.ChangedRange> gains =
        OwnershipDiff.gainedRanges(now, later, placement, "n0");
    List<OwnershipDiff.ChangedRange> lacking = OwnershipDiff.lacking(now, later, placement, "n0");
    List<OwnershipDiff.ChangedRange> handovers =
        OwnershipDiff.handovers(now, later, placement, "n0");
    Set<TokenRange> ranges = new HashSet<>(now.ranges());
    ranges.addAll(later.ranges());
    for (TokenRange range : ranges) {
      byte[] token = range.end();
      List<String> before = ids(placement.replicas(now, token));
      List<String> after = ids(placement.replicas(later, token));
      for (Set<String> written : quorums(before)) {
        Set<String> having = new HashSet<>(written);
        for (List<OwnershipDiff.ChangedRange> parts : List.of(gains, lacking)) {
          for (OwnershipDiff.ChangedRange part : parts) {
            boolean comes =
                part.range().contains(token)
                    && part.sources(2, node -> true).stream()
                        .anyMatch(source -> having.contains(source.id()));
            if (comes) {
              having.add("n0");
            }
          }
        }
        for (OwnershipDiff.ChangedRange part : handovers) {
          if (part.range().contains(token) && having.contains("n0")) {
            having.addAll(ids(part.others()));
          }
        }
        for (Set<String> read : quorums(after)) {
          assertTrue(
              read.stream().anyMatch(having::contains),
              () -> words + ": written to " + written + ", is on " + having + ", read " + read);
        }
      }
    }
  }

  private static List<Set<String>> quorums(List<String> owners) {
    List<Set<String>> quorums = new ArrayList<>();
    for (int i = 0; i < owners.size(); i++) {
      for (int j = 0; j < i; j++) {
        quorums.add(Set.of(owners.get(i), owners.get(j)));
      }
    }
    return quorums;
  }

  private static List<ReplicaPlacement> placements(List<RingNode> nodes) {
    List<ReplicaPlacement> placements = new ArrayList<>();
    for (PlacementStrategy strategy : PlacementStrategy.values()) {
      if (strategy != PlacementStrategy.LOCAL) {
        SortedMap<String, Integer> copies = new TreeMap<>();
        if (strategy == PlacementStrategy.NETWORK_TOPOLOGY) {
          copies.putAll(Map.of("dc0", 2, "dc1", 1));
        }
        Keyspace keyspace = new Keyspace("K", strategy, 3, copies, true, new TreeMap<>());
        placements.add(ReplicaPlacement.of(keyspace, nodes.get(0)));
      }
    }
    return placements;
  }

  private RingNode node(String id) {
    return new RingNode(
        id,
        "10.0.0.1",
        7000,
        9160,
        "dc" + random.nextInt(2),
        "r" + random.nextInt(3),
        List.of(token(), token()));
  }

  private RingNode moved(RingNode node) {
    return new RingNode(
        node.id(),
        node.address(),
        node.peerPort(),
        node.clientPort(),
        node.datacenter(),
        node.rack(),
        List.of(token(), token()));
  }

  private byte[] token() {
    byte[] token = new byte[8];
    random.nextBytes(token);
    return token;
  }

  private static List<String> ids(List<RingNode> nodes) {
    return nodes.stream().map(RingNode::id).toList();
  }
}
