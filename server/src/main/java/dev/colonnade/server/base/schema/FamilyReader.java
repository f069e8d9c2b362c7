package dev.colonnade.server.base.schema;

import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks a column family's definition and adds defaults. */
final class FamilyReader {

  /** The comparator of names for which none is given, and of the terms of an index. */
  private static final String ANY_BYTES = "BytesType";

  private static final int MAX_COMMENT_CHARACTERS = 10_000;
  private static final int MAX_COMPACTION_FILES = 1_024;

  /** A terabyte; no memtable is larger. */
  private static final int MAX_MEBIBYTES = 1 << 20;

  /** Twenty years, as in later Cassandras: data that should stay longer is not meant to expire. */
  private static final long MAX_TTL_SECONDS = 20L * 365 * 24 * 60 * 60;

  private final FamilyDefinition definition;
  private final String path;

  /**
   * @param path of the definition in the request, put before the names of fields in errors
   */
  FamilyReader(FamilyDefinition definition, String path) {
    this.definition = definition;
    this.path = path;
  }

  ColumnFamily read(FamilyId id, ComparatorResolver types) throws SchemaException {
    PathOrder order = order(types);
    FamilyOptions options = options();
    checkTypesForPeople();
    checkAnalyzer(order);
    FamilyDefinition canonical =
        definition
            .withColumnType(order.isSuper() ? ColumnType.SUPER : ColumnType.STANDARD)
            .with(FamilyField.COMPARE_WITH, order.topType().typeName());
    ColumnComparator subType = order.subType();
    if (subType != null) {
      canonical = canonical.with(FamilyField.COMPARE_SUBCOLUMNS_WITH, subType.typeName());
    }
    return new ColumnFamily(
        definition.keyspace(), definition.name(), id, order, options, canonical, 0);
  }

  private PathOrder order(ComparatorResolver types) throws SchemaException {
    String typeText = text(FamilyField.COLUMN_TYPE, ColumnType.STANDARD.text());
    Optional<ColumnType> type = ColumnType.parse(typeText);
    if (type.isEmpty()) {
      throw invalid(FamilyField.COLUMN_TYPE, "is Standard or Super; got " + Names.quote(typeText));
    }
    if (type.get() == ColumnType.STANDARD
        && definition.value(FamilyField.COMPARE_SUBCOLUMNS_WITH).isPresent()) {
      throw invalid(
          FamilyField.COMPARE_SUBCOLUMNS_WITH,
          "orders the columns inside super columns, and a Standard family has none: leave it out,"
              + " or make the column type Super");
    }
    ColumnComparator top = nameType(FamilyField.COMPARE_WITH, types);
    @Nullable ColumnComparator sub =
        type.get() == ColumnType.SUPER
            ? nameType(FamilyField.COMPARE_SUBCOLUMNS_WITH, types)
            : null;
    return new PathOrder(top, sub);
  }

  private ColumnComparator nameType(FamilyField field, ComparatorResolver types)
      throws SchemaException {
    String className = text(field, "");
    try {
      return types.resolve(className.isEmpty() ? ANY_BYTES : className);
    } catch (PlugInException e) {
      throw invalid(field, String.valueOf(e.getMessage()));
    }
  }

  private FamilyOptions options() throws SchemaException {
    FamilyOptions defaults = FamilyOptions.DEFAULT;
    String comment = text(FamilyField.COMMENT, defaults.comment());
    if (comment.length() > MAX_COMMENT_CHARACTERS) {
      throw invalid(FamilyField.COMMENT, "has at most " + MAX_COMMENT_CHARACTERS + " characters");
    }
    int least =
        (int)
            number(
                FamilyField.MIN_COMPACTION_THRESHOLD,
                defaults.minCompactionThreshold(),
                0,
                MAX_COMPACTION_FILES);
    int most =
        (int)
            number(
                FamilyField.MAX_COMPACTION_THRESHOLD,
                defaults.maxCompactionThreshold(),
                0,
                MAX_COMPACTION_FILES);
    checkThresholds(least, most);
    return new FamilyOptions(
        comment,
        cacheSize(FamilyField.KEYS_CACHED, defaults.keysCached()),
        cacheSize(FamilyField.ROWS_CACHED, defaults.rowsCached()),
        fraction(FamilyField.READ_REPAIR_CHANCE, defaults.readRepairChance()),
        number(FamilyField.GC_GRACE, defaults.gcGraceSeconds(), 0, Integer.MAX_VALUE),
        least,
        most,
        memtable(defaults.memtable()),
        (int) number(FamilyField.DEFAULT_TTL, 0, 0, MAX_TTL_SECONDS));
  }

  /** No node knows what the types are; a client may have its own. */
  private void checkTypesForPeople() throws SchemaException {
    for (FamilyField field : List.of(FamilyField.KEY_TYPE, FamilyField.VALUE_TYPE)) {
      Optional<String> type = definition.value(field);
      if (type.isPresent() && !ColumnValueTypes.isType(type.get())) {
        throw invalid(
            field,
            "is the name of a type, of letters, digits, dots and underscores, at most 200; got "
                + Names.quote(type.get()));
      }
    }
    String complaint = ColumnValueTypes.parse(text(FamilyField.COLUMN_VALUE_TYPES, "")).complaint();
    if (!complaint.isEmpty()) {
      throw invalid(FamilyField.COLUMN_VALUE_TYPES, complaint);
    }
  }

  /** Whether there is such an analyzer is for the search service to say. */
  private void checkAnalyzer(PathOrder order) throws SchemaException {
    Optional<String> analyzer = definition.value(FamilyField.ANALYZER);
    if (analyzer.isEmpty()) {
      return;
    }
    if (!ColumnValueTypes.isType(analyzer.get())) {
      throw invalid(
          FamilyField.ANALYZER,
          "is the name of an analyzer, of letters, digits, dots and underscores, at most 200; got "
              + Names.quote(analyzer.get()));
    }
    if (!order.isSuper() || !order.topType().typeName().equals(ANY_BYTES)) {
      throw invalid(
          FamilyField.ANALYZER,
          "makes the family a search index, which is a Super family whose compare_with is"
              + " BytesType");
    }
  }

  private void checkThresholds(int least, int most) throws SchemaException {
    if (least == 0 && most == 0) {
      return;
    }
    if (least < 2) {
      throw invalid(
          FamilyField.MIN_COMPACTION_THRESHOLD,
          "is at least 2, because one file alone is not merged; 0 for both thresholds switches"
              + " automatic compaction off");
    }
    if (least > most) {
      throw invalid(
          FamilyField.MIN_COMPACTION_THRESHOLD,
          "is " + least + " and must not be above max_compaction_threshold, which is " + most);
    }
  }

  private MemtableLimits memtable(MemtableLimits defaults) throws SchemaException {
    return new MemtableLimits(
        (int)
            number(
                FamilyField.MEMTABLE_THROUGHPUT, defaults.throughputMebibytes(), 1, MAX_MEBIBYTES),
        number(
            FamilyField.MEMTABLE_MAX_OPERATIONS, defaults.maxOperations(), 0, Long.MAX_VALUE / 2),
        Duration.ofSeconds(
            number(
                FamilyField.MEMTABLE_FLUSH_AFTER,
                defaults.flushAfter().toSeconds(),
                1,
                Integer.MAX_VALUE)));
  }

  private CacheSize cacheSize(FamilyField field, CacheSize absent) throws SchemaException {
    String text = text(field, "");
    if (text.isEmpty()) {
      return absent;
    }
    return CacheSize.parse(text)
        .orElseThrow(
            () ->
                invalid(
                    field,
                    "is a number of entries (200000), a share below 1 (0.5) or a percentage (50%);"
                        + " got "
                        + Names.quote(text)));
  }

  private double fraction(FamilyField field, double absent) throws SchemaException {
    String text = text(field, Double.toString(absent));
    try {
      double number = Double.parseDouble(text);
      if (number >= 0 && number <= 1) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, with the rule in the message.
    }
    throw invalid(field, "is a number from 0 to 1; got " + Names.quote(text));
  }

  private long number(FamilyField field, long absent, long least, long most)
      throws SchemaException {
    String text = text(field, Long.toString(absent));
    if (text.length() <= 40) {
      try {
        long number = new BigDecimal(text).longValueExact();
        if (number >= least && number <= most) {
          return number;
        }
      } catch (ArithmeticException | NumberFormatException e) {
        // Refused below, with the rule in the message.
      }
    }
    throw invalid(
        field, "is a whole number from " + least + " to " + most + "; got " + Names.quote(text));
  }

  private String text(FamilyField field, String absent) {
    return definition.value(field).orElse(absent);
  }

  private SchemaException invalid(FamilyField field, String rule) {
    return SchemaException.invalid(
        path + "." + field.path(),
        field.path() + " of column family " + Names.quote(definition.name()) + ": " + rule);
  }
}
