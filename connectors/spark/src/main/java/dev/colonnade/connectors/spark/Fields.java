package dev.colonnade.connectors.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What the fields of a schema stand for. A schema with the fields {@code name} and {@code value},
 * and no others than {@code key}, {@code super}, {@code timestamp} and {@code ttl}, is one of
 * cells: a row of the table for each column of a row. Any other is one of named columns: a row of
 * the table for each row of the family, or in a Super family for each super column.
 *
 * @param isCells which of both
 * @param all in the order of the schema
 */
record Fields(boolean isCells, List<Field> all) implements Serializable {

  static final String KEY = "key";
  static final String SUPER = "super";
  static final String NAME = "name";
  static final String VALUE = "value";
  static final String TIMESTAMP = "timestamp";
  static final String TTL = "ttl";

  private static final Set<String> OF_CELLS = Set.of(KEY, SUPER, NAME, VALUE, TIMESTAMP, TTL);

  /** What a field is. */
  enum Role {
    /** The row's key. */
    KEY,
    /** The super column's name. */
    SUPER,
    /** A column's name. */
    NAME,
    /** A column's value, in a table of cells. */
    VALUE,
    /** A column's timestamp, or that of all columns of a row of the table. */
    TIMESTAMP,
    /** How long a column lives, in seconds. */
    TTL,
    /** The value of the column of that name. */
    COLUMN
  }

  /**
   * A field.
   *
   * @param column the bytes of the column's name; empty for other roles
   * @param isRequired whether there is no row of the table without it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Field(String name, Role role, WireType type, byte[] column, boolean isRequired)
      implements Serializable {}

  /** Keeps a copy of the list. */
  Fields {
    all = List.copyOf(all);
  }

  /**
   * The fields of a schema.
   *
   * @throws IllegalArgumentException if it does not fit the family
   */
  static Fields of(StructType schema, Settings settings, FamilyTypes types) {
    List<String> names = List.of(schema.fieldNames());
    boolean cells =
        settings
            .mapping()
            .map("cells"::equalsIgnoreCase)
            .orElseGet(
                () -> names.contains(NAME) && names.contains(VALUE) && OF_CELLS.containsAll(names));
    if (!cells && types.isSuper() && !names.contains(SUPER)) {
      throw new IllegalArgumentException(
          settings.qualifiedName()
              + " is Super: name one super column by the option "
              + Settings.SUPER_COLUMN
              + ", or have a field "
              + SUPER
              + " with the names of all");
    }
    if (cells && !OF_CELLS.containsAll(names)) {
      throw new IllegalArgumentException(
          "a table of cells has the fields key, super, name, value, timestamp and ttl; got "
              + String.join(", ", names));
    }
    List<Field> fields = new ArrayList<>();
    for (StructField each : schema.fields()) {
      fields.add(cells ? ofCells(each, settings, types) : ofColumns(each, settings, types));
    }
    return new Fields(cells, fields);
  }

  /** Those that are left of a schema. */
  Fields pruned(StructType schema) {
    List<Field> left = new ArrayList<>();
    for (String name : schema.fieldNames()) {
      left.add(all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow());
    }
    return new Fields(isCells, left);
  }

  private static Field ofCells(StructField field, Settings settings, FamilyTypes types) {
    return switch (field.name()) {
      case KEY -> field(field, Role.KEY, types.key());
      case SUPER -> {
        if (!types.isSuper()) {
          throw new IllegalArgumentException(
              settings.superColumn().isPresent()
                  ? "the option super_column says which super column is meant, so there is no field"
                      + " super"
                  : settings.qualifiedName() + " is Standard: its rows have no super columns");
        }
        yield field(field, Role.SUPER, types.superColumn());
      }
      case NAME -> field(field, Role.NAME, types.name());
      case VALUE -> field(field, Role.VALUE, types.value());
      case TIMESTAMP -> timestamp(field);
      default ->
          number(
              field,
              Role.TTL,
              "seconds as int or bigint",
              DataTypes.IntegerType,
              DataTypes.LongType);
    };
  }

  private static Field ofColumns(StructField field, Settings settings, FamilyTypes types) {
    String name = field.name();
    if (name.equals(KEY)) {
      return field(field, Role.KEY, types.key());
    }
    if (name.equals(SUPER) && types.isSuper()) {
      return field(field, Role.SUPER, types.superColumn());
    }
    if (settings.timestampColumn().filter(name::equals).isPresent()) {
      return timestamp(field);
    }
    byte[] column;
    try {
      column = types.name().name(name);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the field "
              + name
              + " is no name of a column: they are "
              + types.name().toString().toLowerCase(Locale.ROOT)
              + " in "
              + settings.qualifiedName(),
          e);
    }
    WireType type = WireType.of("the field " + name, field.dataType(), types.valueOf(column));
    return new Field(name, Role.COLUMN, type, column, !field.nullable());
  }

  private static Field field(StructField field, Role role, WireType declared) {
    WireType type = WireType.of("the field " + field.name(), field.dataType(), declared);
    return new Field(field.name(), role, type, new byte[0], false);
  }

  private static Field timestamp(StructField field) {
    return number(
        field,
        Role.TIMESTAMP,
        "microseconds as bigint, or a timestamp",
        DataTypes.LongType,
        DataTypes.TimestampType);
  }

  private static Field number(StructField field, Role role, String wanted, DataType... types) {
    for (DataType each : types) {
      if (field.dataType().equals(each)) {
        WireType type = each.equals(DataTypes.IntegerType) ? WireType.INT32 : WireType.LONG;
        return new Field(field.name(), role, type, new byte[0], false);
      }
    }
    throw new IllegalArgumentException(
        "the field " + field.name() + " is " + wanted + "; got " + field.dataType().simpleString());
  }

  /** The field of a role that there is once. */
  Optional<Field> of(Role role) {
    return all.stream().filter(each -> each.role() == role).findFirst();
  }

  /** Those that are values of columns. */
  List<Field> columns() {
    return all.stream().filter(each -> each.role() == Role.COLUMN).toList();
  }
}
