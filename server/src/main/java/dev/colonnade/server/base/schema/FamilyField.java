package dev.colonnade.server.base.schema;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The fields of a column family's definition besides its names. Paths are those of the protocol's
 * messages, and the names of the cells that the schema is stored in: do not change them.
 */
public enum FamilyField {
  COLUMN_TYPE("column_type"),
  COMPARE_WITH("compare_with"),
  COMPARE_SUBCOLUMNS_WITH("compare_subcolumns_with"),
  COMMENT("comment"),
  KEYS_CACHED("keys_cached"),
  ROWS_CACHED("rows_cached"),
  READ_REPAIR_CHANCE("read_repair_chance"),
  /** Seconds. */
  GC_GRACE("gc_grace"),
  MIN_COMPACTION_THRESHOLD("min_compaction_threshold"),
  MAX_COMPACTION_THRESHOLD("max_compaction_threshold"),
  /** Mebibytes. */
  MEMTABLE_THROUGHPUT("memtable.throughput_mb"),
  MEMTABLE_MAX_OPERATIONS("memtable.max_operations"),
  /** Seconds. */
  MEMTABLE_FLUSH_AFTER("memtable.flush_after"),
  /** Seconds. */
  DEFAULT_TTL("default_ttl"),
  /** For people; no node reads keys by it. */
  KEY_TYPE("key_type"),
  /** For people; no node reads values by it. */
  VALUE_TYPE("value_type"),
  /** For people, as {@link ColumnValueTypes} writes it. */
  COLUMN_VALUE_TYPES("column_value_types"),
  /** Makes the family a search index. */
  ANALYZER("analyzer");

  private final String path;

  FamilyField(String path) {
    this.path = path;
  }

  /** The field's path below the column family's message. */
  public String path() {
    return path;
  }

  /** Whether stored data depends on it, by its order or its terms, so that it cannot change. */
  boolean isFixed() {
    return this == COLUMN_TYPE
        || this == COMPARE_WITH
        || this == COMPARE_SUBCOLUMNS_WITH
        || this == ANALYZER;
  }

  static Optional<FamilyField> byPath(String path) {
    return Arrays.stream(values()).filter(field -> field.path.equals(path)).findFirst();
  }

  /** Returns the fields that a path in a field mask names: one, or all of a nested message. */
  static List<FamilyField> under(String maskPath) {
    return Arrays.stream(values())
        .filter(field -> field.path.equals(maskPath) || field.path.startsWith(maskPath + "."))
        .toList();
  }
}
