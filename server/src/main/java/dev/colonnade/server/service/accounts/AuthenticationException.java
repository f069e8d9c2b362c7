package dev.colonnade.server.service.accounts;

import java.time.Duration;

/**
 * Why a caller is not taken for the account that it claims to be. The words are the same for an
 * unknown account and for a wrong password.
 */
public final class AuthenticationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kinds of refusals. */
  public enum Kind {
    /** The call has no credentials. */
    MISSING,
    /** They are wrong, or of a form that is not accepted. */
    REFUSED,
    /** They were right once: a token whose time is over. */
    EXPIRED,
    /** Too many wrong ones came before; they were not looked at. */
    THROTTLED,
    /** More wait to be checked than a node takes; they were not looked at. */
    BUSY
  }

  private final Kind kind;
  private final Duration retryAfter;

  private AuthenticationException(Kind kind, String message, Duration retryAfter) {
    super(message, null, false, false);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }

  static AuthenticationException missing() {
    return new AuthenticationException(
        Kind.MISSING,
        "this node answers only callers that say who they are: send the header authorization with"
            + " Basic (name and password) or Bearer (a token)",
        Duration.ZERO);
  }

  static AuthenticationException refused() {
    return new AuthenticationException(
        Kind.REFUSED, "the name, the password or the token is wrong", Duration.ZERO);
  }

  static AuthenticationException expired() {
    return new AuthenticationException(
        Kind.EXPIRED, "the token's time is over; log in again", Duration.ZERO);
  }

  static AuthenticationException throttled(Duration retryAfter) {
    return new AuthenticationException(
        Kind.THROTTLED,
        "too many wrong passwords for this account from this address; try again in "
            + Math.max(1, retryAfter.toSeconds())
            + " s",
        retryAfter);
  }

  static AuthenticationException busy() {
    return new AuthenticationException(
        Kind.BUSY, "passwords that wait to be checked", Duration.ZERO);
  }

  /** What kind of refusal it is. */
  public Kind kind() {
    return kind;
  }

  /** When to try again, for {@link Kind#THROTTLED}. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
