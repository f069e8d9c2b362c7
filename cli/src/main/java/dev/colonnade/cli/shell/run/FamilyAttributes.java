package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Facts.Fact;
import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.client.ColumnFamilyDefinition;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The attributes of a column family, by their canonical names, which the grammar has chosen. */
enum FamilyAttributes {
  COLUMN_TYPE(
      "Column type",
      (definition, attribute) ->
          switch (attribute.value().toLowerCase(Locale.ROOT)) {
            case "standard" -> definition.asStandard();
            case "super" -> definition.asSuper();
            default ->
                throw StatementFailure.refused(
                    "column_type is Standard or Super; got " + attribute.value());
          },
      definition -> Optional.of(definition.isSuper() ? "Super" : "Standard")),
  COMPARATOR(
      "Columns sorted by",
      (definition, attribute) -> definition.withCompareWith(attribute.value()),
      definition -> Optional.of(definition.compareWith())),
  SUBCOMPARATOR(
      "Columns within super columns sorted by",
      (definition, attribute) -> definition.withCompareSubcolumnsWith(attribute.value()),
      ColumnFamilyDefinition::compareSubcolumnsWith),
  COMMENT(
      "Comment",
      (definition, attribute) -> definition.withComment(attribute.value()),
      definition -> Optional.of(definition.comment()).filter(comment -> !comment.isEmpty())),
  ROWS_CACHED(
      "Rows cached",
      (definition, attribute) -> definition.withRowsCached(attribute.value()),
      definition -> Optional.of(definition.rowsCached()).filter(rows -> !rows.isEmpty())),
  KEYS_CACHED(
      "Keys cached",
      (definition, attribute) -> definition.withKeysCached(attribute.value()),
      definition -> Optional.of(definition.keysCached()).filter(keys -> !keys.isEmpty())),
  READ_REPAIR_CHANCE(
      "Read repair chance",
      (definition, attribute) -> definition.withReadRepairChance(AttributeValues.number(attribute)),
      definition ->
          definition.readRepairChance().isPresent()
              ? Optional.of(plain(definition.readRepairChance().getAsDouble()))
              : Optional.empty()),
  GC_GRACE(
      "GC grace seconds",
      (definition, attribute) -> definition.withGcGrace(AttributeValues.seconds(attribute)),
      definition -> definition.gcGrace().map(FamilyAttributes::seconds)),
  DEFAULT_TTL(
      "Default time to live in seconds",
      (definition, attribute) ->
          attribute.value().equals("0")
              ? definition.withoutDefaultTtl()
              : definition.withDefaultTtl(AttributeValues.seconds(attribute)),
      definition -> definition.defaultTtl().map(FamilyAttributes::seconds)),
  MIN_COMPACTION_THRESHOLD(
      "Fewest files of a compaction",
      (definition, attribute) ->
          definition.withMinCompactionThreshold(AttributeValues.wholeNumber(attribute)),
      definition ->
          definition.minCompactionThreshold().isPresent()
              ? Optional.of(Integer.toString(definition.minCompactionThreshold().getAsInt()))
              : Optional.empty()),
  MAX_COMPACTION_THRESHOLD(
      "Most files of a compaction",
      (definition, attribute) ->
          definition.withMaxCompactionThreshold(AttributeValues.wholeNumber(attribute)),
      definition ->
          definition.maxCompactionThreshold().isPresent()
              ? Optional.of(Integer.toString(definition.maxCompactionThreshold().getAsInt()))
              : Optional.empty()),
  MEMTABLE_THROUGHPUT(
      "Memtable size in MiB",
      (definition, attribute) ->
          definition.withMemtableThroughputMebibytes(AttributeValues.wholeNumber(attribute)),
      definition ->
          definition.memtableThroughputMebibytes().isPresent()
              ? Optional.of(Integer.toString(definition.memtableThroughputMebibytes().getAsInt()))
              : Optional.empty()),
  MEMTABLE_OPERATIONS(
      "Memtable operations in millions",
      (definition, attribute) ->
          definition.withMemtableOperations(
              Math.round(AttributeValues.number(attribute) * FamilyAttributes.MILLION)),
      definition ->
          definition.memtableOperations().isPresent()
              ? Optional.of(
                  plain(definition.memtableOperations().getAsLong() / FamilyAttributes.MILLION))
              : Optional.empty()),
  MEMTABLE_FLUSH_AFTER(
      "Memtable age in minutes",
      (definition, attribute) ->
          definition.withMemtableFlushAfter(
              Duration.ofSeconds(
                  Math.round(
                      AttributeValues.number(attribute) * FamilyAttributes.SECONDS_PER_MINUTE))),
      definition ->
          definition
              .memtableFlushAfter()
              .map(age -> plain(age.toSeconds() / FamilyAttributes.SECONDS_PER_MINUTE))),
  KEY_TYPE(
      "Keys are",
      (definition, attribute) -> definition.withKeyType(attribute.value()),
      ColumnFamilyDefinition::keyType),
  VALUE_TYPE(
      "Values are",
      (definition, attribute) -> definition.withValueType(attribute.value()),
      ColumnFamilyDefinition::valueType),
  ANALYZER(
      "Search index with the analyzer",
      (definition, attribute) -> definition.withAnalyzer(attribute.value()),
      ColumnFamilyDefinition::analyzer);

  private static final double MILLION = 1e6;
  private static final double SECONDS_PER_MINUTE = 60;

  /** Takes a value into a definition. */
  private interface Setter {
    ColumnFamilyDefinition set(ColumnFamilyDefinition definition, Attribute attribute)
        throws StatementFailure;
  }

  private final String label;
  private final Setter setter;
  private final Function<ColumnFamilyDefinition, Optional<String>> reader;

  FamilyAttributes(
      String label, Setter setter, Function<ColumnFamilyDefinition, Optional<String>> reader) {
    this.label = label;
    this.setter = setter;
    this.reader = reader;
  }

  /** The name that the shell writes. */
  String attribute() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The definition with all that a statement says of it. */
  static ColumnFamilyDefinition apply(ColumnFamilyDefinition to, List<Attribute> attributes)
      throws StatementFailure {
    ColumnFamilyDefinition definition = to;
    for (Attribute attribute : attributes) {
      definition = of(attribute.name()).setter.set(definition, attribute);
    }
    return definition;
  }

  /** What a family is, attribute by attribute. */
  static List<Fact> facts(ColumnFamilyDefinition definition) {
    List<Fact> facts = new ArrayList<>();
    for (FamilyAttributes each : values()) {
      each.reader
          .apply(definition)
          .ifPresent(value -> facts.add(new Fact(each.attribute(), each.label, value)));
    }
    return facts;
  }

  private static FamilyAttributes of(String name) throws StatementFailure {
    for (FamilyAttributes each : values()) {
      if (each.attribute().equals(name)) {
        return each;
      }
    }
    throw StatementFailure.refused(
        "a column family has no attribute "
            + name
            + "; it has "
            + Arrays.stream(values())
                .map(FamilyAttributes::attribute)
                .collect(Collectors.joining(", ")));
  }

  private static String seconds(Duration duration) {
    return Long.toString(duration.toSeconds());
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}
