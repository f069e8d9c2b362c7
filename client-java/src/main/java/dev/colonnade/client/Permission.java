package dev.colonnade.client;

/** What an account may be permitted to do (docs/accounts.md). */
public enum Permission {
  /** Read columns, and load rows into caches. */
  READ,
  /** Write and remove columns. */
  WRITE,
  /** Create, change and drop keyspaces and families. */
  SCHEMA,
  /** Empty a family on all nodes. */
  TRUNCATE,
  /** See figures of nodes. On the whole cluster only. */
  MONITOR,
  /** Operate nodes, and change the ring. On the whole cluster only. */
  ADMIN,
  /** Manage accounts other than superusers, and grant and revoke. On the whole cluster only. */
  AUTHORIZE,
  /** One that this client is too old to know. Not for requests. */
  UNKNOWN;

  static Permission of(dev.colonnade.admin.v1.Permission message) {
    return switch (message) {
      case PERMISSION_READ -> READ;
      case PERMISSION_WRITE -> WRITE;
      case PERMISSION_SCHEMA -> SCHEMA;
      case PERMISSION_TRUNCATE -> TRUNCATE;
      case PERMISSION_MONITOR -> MONITOR;
      case PERMISSION_ADMIN -> ADMIN;
      case PERMISSION_AUTHORIZE -> AUTHORIZE;
      case PERMISSION_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
    };
  }

  dev.colonnade.admin.v1.Permission message() {
    return switch (this) {
      case READ -> dev.colonnade.admin.v1.Permission.PERMISSION_READ;
      case WRITE -> dev.colonnade.admin.v1.Permission.PERMISSION_WRITE;
      case SCHEMA -> dev.colonnade.admin.v1.Permission.PERMISSION_SCHEMA;
      case TRUNCATE -> dev.colonnade.admin.v1.Permission.PERMISSION_TRUNCATE;
      case MONITOR -> dev.colonnade.admin.v1.Permission.PERMISSION_MONITOR;
      case ADMIN -> dev.colonnade.admin.v1.Permission.PERMISSION_ADMIN;
      case AUTHORIZE -> dev.colonnade.admin.v1.Permission.PERMISSION_AUTHORIZE;
      case UNKNOWN -> dev.colonnade.admin.v1.Permission.PERMISSION_UNSPECIFIED;
    };
  }

  /** Whether it can be granted on a keyspace or a family, and not on the whole cluster alone. */
  public boolean isOfData() {
    return this == READ || this == WRITE || this == SCHEMA || this == TRUNCATE;
  }
}
