package dev.colonnade.server.cluster.gossip;

/**
 * Whether news of a node is believed.
 *
 * @param reason why not, for people; empty where it is
 */
record Belief(BeliefKind kind, String reason) {

  /** Whether news is believed. */
  enum BeliefKind {
    /** It is. */
    BELIEVED,
    /** It may be true, and will be told again: this node does not know enough yet. */
    NOT_YET,
    /** It does not prove what it says. */
    REFUSED
  }

  static final Belief BELIEVED = new Belief(BeliefKind.BELIEVED, "");

  static Belief notYet(String reason) {
    return new Belief(BeliefKind.NOT_YET, reason);
  }

  static Belief refused(String reason) {
    return new Belief(BeliefKind.REFUSED, reason);
  }

  boolean holds() {
    return kind == BeliefKind.BELIEVED;
  }
}
