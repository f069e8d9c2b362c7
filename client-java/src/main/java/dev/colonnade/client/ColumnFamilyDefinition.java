package dev.colonnade.client;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * What a column family is. Settings that are absent are the node's defaults, and what a node tells
 * has all of them. A node checks the values. Immutable.
 */
public final class ColumnFamilyDefinition {

  private final ColumnFamilyDef message;

  private ColumnFamilyDefinition(ColumnFamilyDef message) {
    this.message = message;
  }

  /**
   * A Standard family: rows of columns.
   *
   * @param compareWith orders names; see {@link Comparators}
   */
  public static ColumnFamilyDefinition standard(String name, String compareWith) {
    return new ColumnFamilyDefinition(
        ColumnFamilyDef.newBuilder()
            .setName(name)
            .setColumnType(ColumnType.COLUMN_TYPE_STANDARD)
            .setCompareWith(compareWith)
            .build());
  }

  /**
   * A Super family: rows of super columns.
   *
   * @param compareWith orders names of super columns; see {@link Comparators}
   * @param compareSubcolumnsWith orders names of columns within them
   */
  public static ColumnFamilyDefinition superFamily(
      String name, String compareWith, String compareSubcolumnsWith) {
    return new ColumnFamilyDefinition(
        ColumnFamilyDef.newBuilder()
            .setName(name)
            .setColumnType(ColumnType.COLUMN_TYPE_SUPER)
            .setCompareWith(compareWith)
            .setCompareSubcolumnsWith(compareSubcolumnsWith)
            .build());
  }

  /** Its exact name. */
  public String name() {
    return message.getName();
  }

  /** Whether its rows hold super columns. */
  public boolean isSuper() {
    return message.getColumnType() == ColumnType.COLUMN_TYPE_SUPER;
  }

  /** The comparator of the names directly under a row. */
  public String compareWith() {
    return message.getCompareWith();
  }

  /** The comparator of column names within super columns; empty in a Standard family. */
  public Optional<String> compareSubcolumnsWith() {
    return isSuper() ? Optional.of(message.getCompareSubcolumnsWith()) : Optional.empty();
  }

  /** A text for people; empty if there is none. */
  public String comment() {
    return message.getComment();
  }

  /** How many rows are kept in memory: a number, a fraction below 1, or a percentage. */
  public String rowsCached() {
    return message.getRowsCached();
  }

  /** How many keys' positions are remembered: a number, a fraction below 1, or a percentage. */
  public String keysCached() {
    return message.getKeysCached();
  }

  /** How long deletions are kept. */
  public Optional<Duration> gcGrace() {
    return message.hasGcGrace()
        ? Optional.of(Duration.ofSeconds(message.getGcGrace().getSeconds()))
        : Optional.empty();
  }

  /** How long columns live that are written without a time to live; empty: for ever. */
  public Optional<Duration> defaultTtl() {
    return message.hasDefaultTtl()
        ? Optional.of(Duration.ofSeconds(message.getDefaultTtl().getSeconds()))
        : Optional.empty();
  }

  /** The fewest data files that a compaction merges. */
  public OptionalInt minCompactionThreshold() {
    return message.hasMinCompactionThreshold()
        ? OptionalInt.of(message.getMinCompactionThreshold())
        : OptionalInt.empty();
  }

  /** The most data files that a compaction merges. */
  public OptionalInt maxCompactionThreshold() {
    return message.hasMaxCompactionThreshold()
        ? OptionalInt.of(message.getMaxCompactionThreshold())
        : OptionalInt.empty();
  }

  /** The same with a text for people. */
  public ColumnFamilyDefinition withComment(String comment) {
    return change(builder -> builder.setComment(comment));
  }

  /** The same with so many rows in memory: a number, a fraction below 1, or a percentage. */
  public ColumnFamilyDefinition withRowsCached(String rows) {
    return change(builder -> builder.setRowsCached(rows));
  }

  /** The same with so many remembered positions: a number, a fraction below 1, or a percentage. */
  public ColumnFamilyDefinition withKeysCached(String keys) {
    return change(builder -> builder.setKeysCached(keys));
  }

  /** The same with deletions kept so long, in whole seconds. */
  public ColumnFamilyDefinition withGcGrace(Duration duration) {
    return change(builder -> builder.getGcGraceBuilder().setSeconds(wholeSeconds(duration)));
  }

  /** The same with a time to live for columns that are written without one, in whole seconds. */
  public ColumnFamilyDefinition withDefaultTtl(Duration duration) {
    return change(builder -> builder.getDefaultTtlBuilder().setSeconds(wholeSeconds(duration)));
  }

  /** The same with compactions of at least and at most so many data files. */
  public ColumnFamilyDefinition withCompactionThresholds(int min, int max) {
    return change(builder -> builder.setMinCompactionThreshold(min).setMaxCompactionThreshold(max));
  }

  static ColumnFamilyDefinition of(ColumnFamilyDef message) {
    return new ColumnFamilyDefinition(message.toBuilder().clearKeyspace().build());
  }

  ColumnFamilyDef in(String keyspace) {
    return message.toBuilder().setKeyspace(keyspace).build();
  }

  private ColumnFamilyDefinition change(Consumer<ColumnFamilyDef.Builder> change) {
    ColumnFamilyDef.Builder builder = message.toBuilder();
    change.accept(builder);
    return new ColumnFamilyDefinition(builder.build());
  }

  private static long wholeSeconds(Duration duration) {
    if (!duration.equals(Duration.ofSeconds(duration.toSeconds()))) {
      throw new IllegalArgumentException("whole seconds are wanted here; got " + duration);
    }
    return duration.toSeconds();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ColumnFamilyDefinition that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }

  @Override
  public String toString() {
    return message.toString();
  }
}
