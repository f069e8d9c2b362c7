package dev.colonnade.client;

/**
 * A permission, and what it is granted on.
 *
 * @param keyspace empty: the whole cluster, which is all keyspaces but {@code system}, and the
 *     nodes
 * @param family empty: all families of the keyspace
 */
public record Grant(Permission permission, String keyspace, String family) {

  /** On the whole cluster. */
  public static Grant onCluster(Permission permission) {
    return new Grant(permission, "", "");
  }

  /** On all families of a keyspace, which need not exist yet. */
  public static Grant onKeyspace(Permission permission, String keyspace) {
    return new Grant(permission, keyspace, "");
  }

  /** On one family, which need not exist yet. */
  public static Grant onFamily(Permission permission, String keyspace, String family) {
    return new Grant(permission, keyspace, family);
  }

  static Grant of(dev.colonnade.admin.v1.Grant message) {
    return new Grant(
        Permission.of(message.getPermission()), message.getKeyspace(), message.getColumnFamily());
  }

  dev.colonnade.admin.v1.Grant message() {
    return dev.colonnade.admin.v1.Grant.newBuilder()
        .setPermission(permission.message())
        .setKeyspace(keyspace)
        .setColumnFamily(family)
        .build();
  }
}
