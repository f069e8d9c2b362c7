package dev.colonnade.server.cluster.ring;

import java.util.List;

/**
 * The nodes that hold the rows of a range of tokens.
 *
 * <p>Immutable. Ranges with the same owners share one instance.
 */
public final class Owners {
  private final List<RingNode> replicas;
  private final List<RingNode> pending;
  private final List<String> members;

  /** Creates owners for a placement table, which ensures that equal members are one object. */
  Owners(List<RingNode> replicas, List<RingNode> pending, List<String> members) {
    this.replicas = replicas;
    this.pending = pending;
    this.members = members;
  }

  /** The nodes that hold the rows now, in the order of the placement. */
  public List<RingNode> replicas() {
    return replicas;
  }

  /** The nodes that will hold the rows and do not yet; each write goes to them too. */
  public List<RingNode> pending() {
    return pending;
  }

  /** Whether the same nodes hold the rows, now and later, in whatever order. */
  @SuppressWarnings("ReferenceEquality") // the table has made equal ones the same
  boolean hasMembersOf(Owners other) {
    return members == other.members;
  }
}
