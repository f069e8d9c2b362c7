package dev.colonnade.server.membership;

import dev.colonnade.server.ring.ReplicaPlacement;
import dev.colonnade.server.ring.Ring;
import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.ring.TokenRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Who holds what more, or less, on one ring than on another. Ranges are cut at the tokens of both,
 * so that each has one set of owners on either. Pure.
 */
final class RingChange {

  private RingChange() {}

  /**
   * A range that moves.
   *
   * @param others where it can be fetched from, or has to be brought to; the nearest on the ring
   *     first
   */
  record Part(TokenRange range, List<RingNode> others) {

    Part {
      others = List.copyOf(others);
    }
  }

  /** What a node holds later and not now, with those who hold it now. */
  static List<Part> gains(Ring now, Ring later, ReplicaPlacement placement, String nodeId) {
    List<Part> gains = new ArrayList<>();
    for (TokenRange range : commonRanges(now, later)) {
      List<RingNode> before = placement.replicas(now, range.end());
      List<RingNode> after = placement.replicas(later, range.end());
      if (contains(after, nodeId) && !contains(before, nodeId)) {
        gains.add(new Part(range, before));
      }
    }
    return List.copyOf(gains);
  }

  /** What a node holds now and others hold later who do not now, with these. */
  static List<Part> handovers(Ring now, Ring later, ReplicaPlacement placement, String nodeId) {
    List<Part> handovers = new ArrayList<>();
    for (TokenRange range : commonRanges(now, later)) {
      List<RingNode> before = placement.replicas(now, range.end());
      List<RingNode> after = placement.replicas(later, range.end());
      if (contains(before, nodeId) && !contains(after, nodeId)) {
        List<RingNode> fresh = after.stream().filter(node -> !contains(before, node.id())).toList();
        if (!fresh.isEmpty()) {
          handovers.add(new Part(range, fresh));
        }
      }
    }
    return List.copyOf(handovers);
  }

  private static List<TokenRange> commonRanges(Ring now, Ring later) {
    TreeSet<byte[]> ends = new TreeSet<>(Arrays::compareUnsigned);
    now.ranges().forEach(range -> ends.add(range.end()));
    later.ranges().forEach(range -> ends.add(range.end()));
    List<TokenRange> ranges = new ArrayList<>(ends.size());
    byte[] start = ends.last();
    for (byte[] end : ends) {
      ranges.add(new TokenRange(start, end));
      start = end;
    }
    return ranges;
  }

  private static boolean contains(List<RingNode> nodes, String id) {
    return nodes.stream().anyMatch(node -> node.id().equals(id));
  }
}
