package dev.colonnade.cli.local.sstable;

/** The names of fields in exported lines. They are a format that other programs read. */
final class RowFields {
  /** Of the first line: the version of the format. */
  static final String VERSION = "colonnade_rows";

  static final String KEYSPACE = "keyspace";
  static final String FAMILY = "family";
  static final String FAMILY_ID = "family_id";
  static final String PARTITIONER = "partitioner";
  static final String COMPARATOR = "comparator";

  /** Left out in a Standard family. */
  static final String SUBCOMPARATOR = "subcomparator";

  static final String KEY = "key";

  /** Of a line that goes on with the row of the line before. */
  static final String CONTINUED = "continued";

  /** Of a row: when all of it was deleted. Of a column: when that one was, in seconds. */
  static final String DELETED = "deleted";

  /** Of a row: the range deletion in force before its first column. */
  static final String OPEN = "open";

  static final String COLUMNS = "columns";

  static final String SUPER = "super";
  static final String NAME = "name";
  static final String VALUE = "value";
  static final String TIMESTAMP = "timestamp";
  static final String TTL = "ttl";

  /** When a column expires that has its value. */
  static final String EXPIRES = "expires";

  /** When a column expired whose value was dropped. */
  static final String EXPIRED = "expired";

  /** Of a place where the range deletion in force changes. */
  static final String BOUND = "bound";

  static final String BEFORE = "before";
  static final String AFTER = "after";
  static final String END = "end";
  static final String ENDS = "ends";
  static final String BEGINS = "begins";

  /** Of a deletion: seconds since 1970, by the clock of the node that was asked for it. */
  static final String AT = "at";

  private RowFields() {}
}
