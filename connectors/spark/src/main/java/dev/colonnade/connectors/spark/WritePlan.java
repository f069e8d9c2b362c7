package dev.colonnade.connectors.spark;

import dev.colonnade.client.Column;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/** What columns the rows of a job are written as. Immutable. */
record WritePlan(Settings settings, FamilyTypes types, Fields fields) implements Serializable {

  /**
   * Columns of one row of the family.
   *
   * @param superColumn that they belong to; null in a Standard family, and in the one that is meant
   * @param columns none if all values are null
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Written(byte[] key, byte @Nullable [] superColumn, List<Column<byte[], byte[]>> columns) {}

  /**
   * Refuses a schema that has not all that a row needs.
   *
   * @throws IllegalArgumentException if it has not
   */
  void requireComplete() {
    require(Fields.Role.KEY, Fields.KEY);
    if (types.isSuper()) {
      require(Fields.Role.SUPER, Fields.SUPER);
    }
    if (fields.isCells()) {
      require(Fields.Role.NAME, Fields.NAME);
      require(Fields.Role.VALUE, Fields.VALUE);
    } else if (fields.columns().isEmpty()) {
      throw new IllegalArgumentException("what is written has a key and no columns");
    }
  }

  private void require(Fields.Role role, String name) {
    if (fields.of(role).isEmpty()) {
      throw new IllegalArgumentException(
          "what is written to "
              + settings.qualifiedName()
              + " has no field "
              + name
              + "; it has "
              + fields.all().stream().map(Fields.Field::name).toList());
    }
  }

  /** Whether rows bring their timestamps. */
  boolean hasTimestamps() {
    return fields.of(Fields.Role.TIMESTAMP).isPresent();
  }

  /**
   * The columns of a row of Spark.
   *
   * @param timestampMicros of columns without one
   * @throws IllegalArgumentException if it has no key, or no name where one belongs
   */
  Written written(InternalRow row, long timestampMicros) {
    byte @Nullable [] key = null;
    byte @Nullable [] superColumn = null;
    byte @Nullable [] name = null;
    byte @Nullable [] value = null;
    long timestamp = timestampMicros;
    Optional<Duration> ttl = settings.ttl();
    List<Fields.Field> all = fields.all();
    List<Column<byte[], byte[]>> columns = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      Fields.Field field = all.get(i);
      byte @Nullable [] bytes = row.isNullAt(i) ? null : encode(field, row, i);
      switch (field.role()) {
        case KEY -> key = bytes;
        case SUPER -> superColumn = bytes;
        case NAME -> name = bytes;
        case VALUE -> value = bytes;
        case TIMESTAMP -> timestamp = bytes == null ? timestamp : row.getLong(i);
        case TTL -> ttl = bytes == null ? ttl : Optional.of(seconds(field, row, i));
        case COLUMN -> {
          if (bytes != null) {
            columns.add(Column.of(field.column(), bytes));
          }
        }
      }
    }
    if (key == null || key.length == 0) {
      throw new IllegalArgumentException(
          "a row without a key cannot be written to " + settings.qualifiedName());
    }
    if (types.isSuper() && (superColumn == null || superColumn.length == 0)) {
      throw lacks(key, Fields.SUPER);
    }
    if (fields.isCells()) {
      if (name == null || name.length == 0) {
        throw lacks(key, Fields.NAME);
      }
      if (value != null) {
        columns.add(Column.of(name, value));
      }
    }
    return new Written(key, superColumn, finished(columns, timestamp, ttl));
  }

  private static List<Column<byte[], byte[]>> finished(
      List<Column<byte[], byte[]>> columns, long timestamp, Optional<Duration> ttl) {
    return columns.stream()
        .map(each -> each.withTimestamp(timestamp))
        .map(each -> ttl.isPresent() ? each.withTtl(ttl.get()) : each)
        .toList();
  }

  private static Duration seconds(Fields.Field field, InternalRow row, int at) {
    return Duration.ofSeconds(field.type() == WireType.INT32 ? row.getInt(at) : row.getLong(at));
  }

  private byte[] encode(Fields.Field field, InternalRow row, int at) {
    try {
      return field.type().encode(row, at);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the field "
              + field.name()
              + " cannot be written to "
              + settings.qualifiedName()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private IllegalArgumentException lacks(byte[] key, String field) {
    return new IllegalArgumentException(
        "the row "
            + Bytes.show(key)
            + " has no "
            + field
            + ", and cannot be written to "
            + settings.qualifiedName());
  }
}
