package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.cluster.ring.ReplicaPlacement;
import dev.colonnade.server.cluster.ring.Ring;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.TokenRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * The difference in ownership between two rings. Ranges are cut at the tokens of both, so that each
 * has one set of owners on either. Pure.
 */
final class OwnershipDiff {

  private OwnershipDiff() {}

  /**
   * A range that moves.
   *
   * @param others the nodes that have it now, or have to get it; the nearest on the ring first
   * @param losers the nodes that have it now and will not later
   */
  record ChangedRange(TokenRange range, List<RingNode> others, List<RingNode> losers) {

    ChangedRange {
      others = List.copyOf(others);
      losers = List.copyOf(losers);
    }

    /**
     * The nodes from which a new owner has to fetch the range, so that each write that a quorum has
     * now is at a quorum of the later owners, too. A replacement must fetch from the node it
     * replaces, because only that node is certain to hold its acknowledged writes. If that node is
     * dead, any other replica may be the one that missed a write: then enough nodes are asked that
     * each quorum had one of them.
     *
     * @param quorum how many owners have what was acknowledged
     * @param isAlive nodes that are down are named only if the others do not suffice
     */
    List<RingNode> sources(int quorum, Predicate<RingNode> isAlive) {
      if (!losers.isEmpty() && losers.stream().allMatch(isAlive)) {
        return losers;
      }
      List<RingNode> sources = new ArrayList<>(others.stream().filter(isAlive).toList());
      int needed = Math.max(1, others.size() - quorum + 1);
      for (RingNode node : others) {
        if (sources.size() < needed && !losers.contains(node) && !sources.contains(node)) {
          sources.add(node);
        }
      }
      return sources;
    }
  }

  /** The ranges that a node owns later and not now, with their current owners. */
  static List<ChangedRange> gainedRanges(
      Ring now, Ring later, ReplicaPlacement placement, String nodeId) {
    List<ChangedRange> gains = new ArrayList<>();
    for (TokenRange range : commonRanges(now, later)) {
      List<RingNode> before = placement.replicas(now, range.end());
      List<RingNode> after = placement.replicas(later, range.end());
      if (contains(after, nodeId) && !contains(before, nodeId)) {
        gains.add(new ChangedRange(range, before, without(before, after)));
      }
    }
    return List.copyOf(gains);
  }

  /**
   * The ranges that others own later and not now, with these others. The node that changes the ring
   * hands them over. Usually it owned them itself, but where racks and data centres decide, the
   * place of one node can decide for several.
   */
  static List<ChangedRange> handovers(
      Ring now, Ring later, ReplicaPlacement placement, String nodeId) {
    List<ChangedRange> handovers = new ArrayList<>();
    for (TokenRange range : commonRanges(now, later)) {
      List<RingNode> before = placement.replicas(now, range.end());
      List<RingNode> after = placement.replicas(later, range.end());
      List<RingNode> fresh = except(without(after, before), nodeId);
      if (!fresh.isEmpty()) {
        handovers.add(new ChangedRange(range, fresh, List.of()));
      }
    }
    return List.copyOf(handovers);
  }

  /**
   * The ranges that a node has to fetch before it hands them over: other nodes give up the range
   * too, and the new owner must have what these had. Ranges that the node gains are fetched anyway,
   * and not included.
   */
  static List<ChangedRange> lacking(
      Ring now, Ring later, ReplicaPlacement placement, String nodeId) {
    List<ChangedRange> lacking = new ArrayList<>();
    for (TokenRange range : commonRanges(now, later)) {
      List<RingNode> before = placement.replicas(now, range.end());
      List<RingNode> after = placement.replicas(later, range.end());
      boolean gains = contains(after, nodeId) && !contains(before, nodeId);
      List<RingNode> losers = except(without(before, after), nodeId);
      if (!gains && !losers.isEmpty() && !except(without(after, before), nodeId).isEmpty()) {
        lacking.add(new ChangedRange(range, except(before, nodeId), losers));
      }
    }
    return List.copyOf(lacking);
  }

  private static List<TokenRange> commonRanges(Ring now, Ring later) {
    SortedSet<byte[]> ends = TokenRanges.tokens();
    now.ranges().forEach(range -> ends.add(range.end()));
    later.ranges().forEach(range -> ends.add(range.end()));
    return TokenRanges.between(ends);
  }

  private static List<RingNode> without(List<RingNode> nodes, List<RingNode> others) {
    return nodes.stream().filter(node -> !contains(others, node.id())).toList();
  }

  private static List<RingNode> except(List<RingNode> nodes, String id) {
    return nodes.stream().filter(node -> !node.id().equals(id)).toList();
  }

  private static boolean contains(List<RingNode> nodes, String id) {
    return nodes.stream().anyMatch(node -> node.id().equals(id));
  }
}
