package dev.colonnade.server.service.accounts;

import java.util.Locale;
import java.util.Optional;

/** What an account may be permitted to do. The names are stored and on the wire: do not change. */
public enum Permission {
  /** Read columns, and load rows into caches. */
  READ(1, false),
  /** Write and remove columns. */
  WRITE(2, false),
  /** Create, change and drop keyspaces and column families. */
  SCHEMA(4, false),
  /** Empty a column family on all nodes. */
  TRUNCATE(8, false),
  /** See figures of a node, its hints, and what it knows by gossip. */
  MONITOR(16, true),
  /** Operate nodes: flush, compact, repair, drain, and change the ring. */
  ADMIN(32, true),
  /** Create, change and drop accounts, and grant and revoke permissions. */
  AUTHORIZE(64, true);

  private final int bit;
  private final boolean clusterOnly;

  Permission(int bit, boolean clusterOnly) {
    this.bit = bit;
    this.clusterOnly = clusterOnly;
  }

  /** Whether it can be granted on the whole cluster only, not on a keyspace or a family. */
  public boolean isClusterOnly() {
    return clusterOnly;
  }

  /** Its bit in a set of permissions. */
  int bit() {
    return bit;
  }

  /** The permission of that name, in either case. */
  public static Optional<Permission> named(String name) {
    for (Permission permission : values()) {
      if (permission.name().equals(name.toUpperCase(Locale.ROOT))) {
        return Optional.of(permission);
      }
    }
    return Optional.empty();
  }
}
