package dev.colonnade.server.base.schema;

/** A schema change, or a look-up in the schema, was refused. The message is for the caller. */
public final class SchemaException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why it was refused. A closed set: each has its own error on the wire. */
  public enum SchemaErrorKind {
    /** A rule is broken; {@link SchemaException#field} names the field. */
    INVALID,
    KEYSPACE_EXISTS,
    COLUMN_FAMILY_EXISTS,
    KEYSPACE_NOT_FOUND,
    COLUMN_FAMILY_NOT_FOUND,
    /** The order of names, or the column type, cannot change once a family exists. */
    COMPARATOR_CANNOT_CHANGE,
    SYSTEM_KEYSPACE_READ_ONLY
  }

  private final SchemaErrorKind kind;
  private final String field;

  SchemaException(SchemaErrorKind kind, String field, String message) {
    super(message);
    this.kind = kind;
    this.field = field;
  }

  static SchemaException invalid(String field, String message) {
    return new SchemaException(SchemaErrorKind.INVALID, field, message);
  }

  static SchemaException keyspaceNotFound(String field, String name) {
    return new SchemaException(
        SchemaErrorKind.KEYSPACE_NOT_FOUND,
        field,
        "there is no keyspace " + Names.quote(name) + "; names are case-sensitive");
  }

  static SchemaException familyNotFound(String field, String keyspace, String name) {
    return new SchemaException(
        SchemaErrorKind.COLUMN_FAMILY_NOT_FOUND,
        field,
        "there is no column family "
            + Names.quote(name)
            + " in keyspace "
            + keyspace
            + "; names are case-sensitive");
  }

  /** Why it was refused. */
  public SchemaErrorKind kind() {
    return kind;
  }

  /** The part of the request at fault, as {@code column_family.gc_grace}; empty if none is. */
  public String field() {
    return field;
  }
}
