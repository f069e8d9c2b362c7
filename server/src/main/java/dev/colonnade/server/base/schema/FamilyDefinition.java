package dev.colonnade.server.base.schema;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The definition of a column family as a user gave it: its names, and the given fields, as text.
 * Nothing is checked before the schema takes it.
 *
 * <p>Immutable.
 *
 * @param keyspace may be empty inside a keyspace's definition
 * @param fields absent ones take their defaults
 */
public record FamilyDefinition(String keyspace, String name, Map<FamilyField, String> fields) {

  /** Copies the fields. */
  public FamilyDefinition {
    EnumMap<FamilyField, String> copy = new EnumMap<>(FamilyField.class);
    copy.putAll(fields);
    fields = Collections.unmodifiableMap(copy);
  }

  /** Defines a Standard family with all defaults. */
  public static FamilyDefinition of(String keyspace, String name) {
    return new FamilyDefinition(keyspace, name, Map.of());
  }

  /** Defines a Standard family. */
  public static FamilyDefinition standard(String keyspace, String name, String compareWith) {
    return of(keyspace, name).with(FamilyField.COMPARE_WITH, compareWith);
  }

  /** Defines a Super family. */
  public static FamilyDefinition superFamily(
      String keyspace, String name, String compareWith, String compareSubcolumnsWith) {
    return standard(keyspace, name, compareWith)
        .withColumnType(ColumnType.SUPER)
        .with(FamilyField.COMPARE_SUBCOLUMNS_WITH, compareSubcolumnsWith);
  }

  /** The text of a field, if it was given. */
  public Optional<String> value(FamilyField field) {
    return Optional.ofNullable(fields.get(field));
  }

  /**
   * Returns this definition with a field as text: numbers in decimal, durations in whole seconds.
   */
  public FamilyDefinition with(FamilyField field, String text) {
    EnumMap<FamilyField, String> changed = new EnumMap<>(FamilyField.class);
    changed.putAll(fields);
    changed.put(field, text);
    return new FamilyDefinition(keyspace, name, changed);
  }

  /** Returns this definition with a whole number. */
  public FamilyDefinition with(FamilyField field, long number) {
    return with(field, Long.toString(number));
  }

  /**
   * Returns this definition with a duration; a fraction of a second is kept, so that the check can
   * refuse it.
   */
  public FamilyDefinition with(FamilyField field, Duration duration) {
    BigDecimal seconds =
        BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
    return with(field, seconds.stripTrailingZeros().toPlainString());
  }

  /** Returns this definition with a fraction. */
  public FamilyDefinition with(FamilyField field, double fraction) {
    return with(field, Double.toString(fraction));
  }

  /** Returns this definition with a column type. */
  public FamilyDefinition withColumnType(ColumnType type) {
    return with(FamilyField.COLUMN_TYPE, type.text());
  }

  /** Returns the same family in another keyspace. */
  public FamilyDefinition inKeyspace(String other) {
    return new FamilyDefinition(other, name, fields);
  }
}
