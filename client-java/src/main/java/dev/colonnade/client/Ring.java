package dev.colonnade.client;

import java.util.List;

/**
 * The placement of ranges.
 *
 * @param ranges in order, with the keyspace's replicas of each. A ring of one node has one range
 *     from its token to the same
 * @param nodes all there are
 */
public record Ring(List<RingRange> ranges, List<RingNode> nodes) {

  /** Keeps copies of the lists. */
  public Ring {
    ranges = List.copyOf(ranges);
    nodes = List.copyOf(nodes);
  }
}
