package dev.colonnade.server.cluster.membership;

/** A change of membership was refused or failed; the message says what to do. */
public final class MembershipException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Says why, and what to do now. */
  public MembershipException(String message) {
    super(message);
  }

  /** Keeps the cause. */
  public MembershipException(String message, Throwable cause) {
    super(message, cause);
  }
}
