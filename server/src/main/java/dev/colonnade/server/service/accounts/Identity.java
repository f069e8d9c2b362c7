package dev.colonnade.server.service.accounts;

import java.util.Locale;

/**
 * The account that a call is made as.
 *
 * @param account its name
 * @param by how it proved that
 * @param passwordVersion which password of the account it relies on; {@link #NO_PASSWORD} if none
 * @param endSeconds since 1970, when it proves nothing any more; {@link #NEVER} without an end
 */
public record Identity(String account, Proof by, long passwordVersion, long endSeconds) {

  /** For identities that hold as long as the account does. */
  static final long NEVER = Long.MAX_VALUE;

  /** One without an end. */
  public Identity(String account, Proof by, long passwordVersion) {
    this(account, by, passwordVersion, NEVER);
  }

  /** For identities that do not rely on a password of this cluster. */
  static final long NO_PASSWORD = -1;

  /**
   * Whether the account may still be used so: it exists, is not locked, and has the same password.
   * A later password than the one that this node knows is one that another node heard of first.
   */
  public boolean isCurrent(AccessPolicy policy) {
    if (!policy.mayLogIn(account)) {
      return false;
    }
    if (passwordVersion == NO_PASSWORD) {
      return true;
    }
    AccessPolicy.Password password = policy.password(account);
    return password != null && password.version() <= passwordVersion;
  }

  /** Whether it ends by itself, as a token does. */
  public boolean hasEnd() {
    return endSeconds != NEVER;
  }

  /** How a caller proves its identity. */
  public enum Proof {
    /** By the account's password. */
    PASSWORD,
    /** By a token of this cluster, or one that a plug-in knows. */
    TOKEN,
    /** By the certificate of its connection. */
    CERTIFICATE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
