package dev.colonnade.server.cluster.ring;

import java.util.ArrayList;
import java.util.List;

/** The whole walk around a ring, of which placements take the beginning. */
public final class Clockwise {

  private Clockwise() {}

  /** Every node once, in the order in which a walk clockwise from the token meets them. */
  public static List<RingNode> from(Ring ring, byte[] token) {
    List<RingNode> met = new ArrayList<>();
    Ring.RingWalk walk = ring.walkFrom(token);
    for (RingNode node = walk.next(); node != null; node = walk.next()) {
      met.add(node);
    }
    return met;
  }
}
