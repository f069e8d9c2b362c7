package dev.colonnade.server.service.accounts;

import java.util.Optional;

/**
 * What a permission is granted on: one column family, one keyspace with all its families, or the
 * whole cluster.
 *
 * @param keyspace empty for the whole cluster
 * @param family empty for a whole keyspace or the whole cluster
 */
public record Resource(String keyspace, String family) {

  /** The whole cluster: all keyspaces, and the nodes. */
  public static final Resource CLUSTER = new Resource("", "");

  private static final String ALL = "*";

  /** Checks that a family has a keyspace. */
  public Resource {
    if (keyspace.isEmpty() && !family.isEmpty()) {
      throw new IllegalArgumentException("a column family is named with its keyspace");
    }
  }

  /** Whether it is the whole cluster. */
  public boolean isCluster() {
    return keyspace.isEmpty();
  }

  /** As it is stored: {@code *}, {@code keyspace} or {@code keyspace.family}. */
  @Override
  public String toString() {
    return isCluster() ? ALL : family.isEmpty() ? keyspace : keyspace + "." + family;
  }

  /** Reads what {@link #toString} wrote; empty if it is none. */
  static Optional<Resource> parse(String text) {
    if (text.equals(ALL)) {
      return Optional.of(CLUSTER);
    }
    int dot = text.indexOf('.');
    String keyspace = dot < 0 ? text : text.substring(0, dot);
    String family = dot < 0 ? "" : text.substring(dot + 1);
    boolean whole = !keyspace.isEmpty() && (dot < 0 || !family.isEmpty());
    return whole ? Optional.of(new Resource(keyspace, family)) : Optional.empty();
  }
}
