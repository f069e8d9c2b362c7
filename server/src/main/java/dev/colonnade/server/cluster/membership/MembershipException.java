package dev.colonnade.server.cluster.membership;

import java.util.Optional;

/** A change of membership was refused or failed; the message says what to do. */
public final class MembershipException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What a program can decide by. */
  public enum Reason {
    /** Another change is under way; it has to end first. */
    OTHER_CHANGE,
    /** Another change is under way, and its node is down: it is started again, or removed. */
    OTHER_CHANGE_STUCK,
    /** A node of the ring has this node's address or token; this one can only replace it. */
    PLACE_TAKEN,
    /** This node has left its cluster. */
    HAS_LEFT,
    /** Rows would have fewer copies than their keyspace wants; it can be forced. */
    TOO_FEW_NODES,
    /** Something else, which only the message says. */
    OTHER
  }

  private final Reason reason;
  private final String nodeId;

  /** Says why, and what to do now. */
  public MembershipException(String message) {
    this(Reason.OTHER, "", message);
  }

  /**
   * Says why, and what to do now.
   *
   * @param nodeId the other node that the reason is about; empty if there is none
   */
  public MembershipException(Reason reason, String nodeId, String message) {
    super(message);
    this.reason = reason;
    this.nodeId = nodeId;
  }

  /** Keeps the cause. */
  public MembershipException(String message, Throwable cause) {
    super(message, cause);
    this.reason = Reason.OTHER;
    this.nodeId = "";
  }

  /** What a program can decide by. */
  public Reason reason() {
    return reason;
  }

  /** The other node that the reason is about. */
  public Optional<String> nodeId() {
    return nodeId.isEmpty() ? Optional.empty() : Optional.of(nodeId);
  }
}
