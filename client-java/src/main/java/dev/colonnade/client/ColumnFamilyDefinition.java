package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.ColumnValueType;
import dev.colonnade.admin.v1.MemtableLimits;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The definition of a column family, or changes of one. Settings that are absent are the node's
 * defaults when a family is created, and stay as they are when one is updated; definitions from a
 * node have all of them. A node checks the values. Immutable.
 */
public final class ColumnFamilyDefinition {

  private static final String COMMENT = "comment";
  private static final String KEYS_CACHED = "keys_cached";
  private static final String ROWS_CACHED = "rows_cached";
  private static final String DEFAULT_TTL = "default_ttl";
  private static final String MEMTABLE = "memtable";
  private static final String KEY_TYPE = "key_type";
  private static final String VALUE_TYPE = "value_type";
  private static final String COLUMN_VALUE_TYPES = "column_value_types";

  private final ColumnFamilyDef message;

  /** Paths of settings that an update resets to their defaults. */
  private final Set<String> resets;

  private ColumnFamilyDefinition(ColumnFamilyDef message, Set<String> resets) {
    this.message = message;
    this.resets = Set.copyOf(resets);
  }

  /**
   * A Standard family: rows of columns.
   *
   * @param compareWith orders names; see {@link Comparators}
   */
  public static ColumnFamilyDefinition standard(String name, String compareWith) {
    return changesOf(name).asStandard().withCompareWith(compareWith);
  }

  /**
   * A Super family: rows of super columns.
   *
   * @param compareWith orders names of super columns; see {@link Comparators}
   * @param compareSubcolumnsWith orders names of columns within them
   */
  public static ColumnFamilyDefinition superFamily(
      String name, String compareWith, String compareSubcolumnsWith) {
    return changesOf(name)
        .asSuper()
        .withCompareWith(compareWith)
        .withCompareSubcolumnsWith(compareSubcolumnsWith);
  }

  /**
   * An index of documents, for {@link SearchIndex}: a Super family.
   *
   * @param analyzer what cuts texts into terms: {@code standard}, {@code english}, {@code german}
   *     or another one of those that the node knows, or the class of a plug-in
   * @param idType orders ids of documents; see {@link Comparators}
   */
  public static ColumnFamilyDefinition searchIndex(String name, String analyzer, String idType) {
    return superFamily(name, Comparators.BYTES, idType).withAnalyzer(analyzer);
  }

  /**
   * Only a name: the beginning of an update of the settings that are set afterwards, for any type
   * and comparators. A family created from it is Standard, with BytesType.
   */
  public static ColumnFamilyDefinition changesOf(String name) {
    return new ColumnFamilyDefinition(ColumnFamilyDef.newBuilder().setName(name).build(), Set.of());
  }

  /** Its exact name. */
  public String name() {
    return message.getName();
  }

  /** Whether its rows hold super columns. */
  public boolean isSuper() {
    return message.getColumnType() == ColumnType.COLUMN_TYPE_SUPER;
  }

  /** The comparator of the names directly under a row; empty in an update that does not say. */
  public String compareWith() {
    return message.getCompareWith();
  }

  /** The comparator of column names within super columns; empty in a Standard family. */
  public Optional<String> compareSubcolumnsWith() {
    return isSuper() ? Optional.of(message.getCompareSubcolumnsWith()) : Optional.empty();
  }

  /**
   * Compares what cannot change.
   *
   * @throws IllegalStateException if the family that exists has another type, or other comparators
   */
  void requireSameNames(ColumnFamilyDefinition existing) {
    if (!names().equals(existing.names())) {
      throw new IllegalStateException(
          "the family " + name() + " exists as " + existing.names() + ", and not as " + names());
    }
  }

  private String names() {
    return isSuper()
        ? "Super with "
            + shortName(message.getCompareWith())
            + " and "
            + shortName(message.getCompareSubcolumnsWith())
            + analyzer().map(name -> " and the analyzer " + name).orElse("")
        : "Standard with " + shortName(message.getCompareWith());
  }

  /** As nodes name a comparator, which also know it by its old dotted name. */
  private static String shortName(String comparator) {
    return comparator.isEmpty()
        ? Comparators.BYTES
        : comparator.replaceFirst("^org\\.apache\\.cassandra\\.db\\.marshal\\.", "");
  }

  /** A comment; empty if there is none. */
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

  /** The share of reads, from 0 to 1, that repair replicas in the background. */
  public OptionalDouble readRepairChance() {
    return message.hasReadRepairChance()
        ? OptionalDouble.of(message.getReadRepairChance())
        : OptionalDouble.empty();
  }

  /** How long deletions are kept. */
  public Optional<Duration> gcGrace() {
    return message.hasGcGrace() ? Optional.of(duration(message.getGcGrace())) : Optional.empty();
  }

  /** How long columns live that are written without a time to live; empty: for ever. */
  public Optional<Duration> defaultTtl() {
    return message.hasDefaultTtl()
        ? Optional.of(duration(message.getDefaultTtl()))
        : Optional.empty();
  }

  /** What cuts the texts of documents into terms; empty for a family that is no search index. */
  public Optional<String> analyzer() {
    return Optional.of(message.getAnalyzer()).filter(name -> !name.isEmpty());
  }

  /** What keys are, for people, such as {@code UTF8Type}; nodes do not check them. */
  public Optional<String> keyType() {
    return Optional.of(message.getKeyType()).filter(type -> !type.isEmpty());
  }

  /** What values are, for people, such as {@code UTF8Type}; nodes do not check them. */
  public Optional<String> valueType() {
    return Optional.of(message.getValueType()).filter(type -> !type.isEmpty());
  }

  /**
   * What the values of columns of certain names are, for people, where it is not {@link
   * #valueType}.
   *
   * @return types by names, in the order of the names' bytes
   */
  public Map<ByteBuffer, String> columnValueTypes() {
    Map<ByteBuffer, String> types = new LinkedHashMap<>();
    for (ColumnValueType each : message.getColumnValueTypesList()) {
      types.put(each.getName().asReadOnlyByteBuffer(), each.getType());
    }
    return Collections.unmodifiableMap(types);
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

  /** The size at which recent writes in memory become a data file, in MiB. */
  public OptionalInt memtableThroughputMebibytes() {
    MemtableLimits limits = message.getMemtable();
    return limits.hasThroughputMb()
        ? OptionalInt.of(limits.getThroughputMb())
        : OptionalInt.empty();
  }

  /** The number of columns written or removed at which memory becomes a data file. */
  public OptionalLong memtableOperations() {
    MemtableLimits limits = message.getMemtable();
    return limits.hasMaxOperations()
        ? OptionalLong.of(limits.getMaxOperations())
        : OptionalLong.empty();
  }

  /** How long after the first write memory becomes a data file. */
  public Optional<Duration> memtableFlushAfter() {
    MemtableLimits limits = message.getMemtable();
    return limits.hasFlushAfter()
        ? Optional.of(duration(limits.getFlushAfter()))
        : Optional.empty();
  }

  /** The same with rows of columns. */
  public ColumnFamilyDefinition asStandard() {
    return change(builder -> builder.setColumnType(ColumnType.COLUMN_TYPE_STANDARD));
  }

  /** The same with rows of super columns. */
  public ColumnFamilyDefinition asSuper() {
    return change(builder -> builder.setColumnType(ColumnType.COLUMN_TYPE_SUPER));
  }

  /** The same with another comparator of the names directly under a row. */
  public ColumnFamilyDefinition withCompareWith(String comparator) {
    return change(builder -> builder.setCompareWith(comparator));
  }

  /** The same with another comparator of column names within super columns. */
  public ColumnFamilyDefinition withCompareSubcolumnsWith(String comparator) {
    return change(builder -> builder.setCompareSubcolumnsWith(comparator));
  }

  /** The same with a comment; an update to the empty text removes it. */
  public ColumnFamilyDefinition withComment(String comment) {
    return text(COMMENT, comment, builder -> builder.setComment(comment));
  }

  /**
   * The same with another number of rows in memory: a number, a fraction below 1, or a percentage;
   * empty: the default.
   */
  public ColumnFamilyDefinition withRowsCached(String rows) {
    return text(ROWS_CACHED, rows, builder -> builder.setRowsCached(rows));
  }

  /**
   * The same with another number of remembered positions: a number, a fraction below 1, or a
   * percentage; empty: the default.
   */
  public ColumnFamilyDefinition withKeysCached(String keys) {
    return text(KEYS_CACHED, keys, builder -> builder.setKeysCached(keys));
  }

  /** The same with such a share of reads that repair replicas, from 0 to 1. */
  public ColumnFamilyDefinition withReadRepairChance(double chance) {
    return change(builder -> builder.setReadRepairChance(chance));
  }

  /** The same with deletions kept so long, in whole seconds. */
  public ColumnFamilyDefinition withGcGrace(Duration duration) {
    return change(builder -> builder.getGcGraceBuilder().setSeconds(wholeSeconds(duration)));
  }

  /** The same with a time to live for columns that are written without one, in whole seconds. */
  public ColumnFamilyDefinition withDefaultTtl(Duration duration) {
    long seconds = wholeSeconds(duration);
    return reset(DEFAULT_TTL, false)
        .change(builder -> builder.getDefaultTtlBuilder().setSeconds(seconds));
  }

  /** The same where columns that are written without a time to live stay for ever. */
  public ColumnFamilyDefinition withoutDefaultTtl() {
    return reset(DEFAULT_TTL, true).change(ColumnFamilyDef.Builder::clearDefaultTtl);
  }

  /**
   * The same as a search index, which is a Super family whose names of super columns are BytesType;
   * see {@link #searchIndex}. Cannot be changed later.
   */
  public ColumnFamilyDefinition withAnalyzer(String name) {
    return change(builder -> builder.setAnalyzer(name));
  }

  /** The same with keys of a type, for people; an update to the empty text takes it back. */
  public ColumnFamilyDefinition withKeyType(String type) {
    return text(KEY_TYPE, type, builder -> builder.setKeyType(type));
  }

  /** The same with values of a type, for people; an update to the empty text takes it back. */
  public ColumnFamilyDefinition withValueType(String type) {
    return text(VALUE_TYPE, type, builder -> builder.setValueType(type));
  }

  /**
   * The same with values of a type, for people, in the columns of one name. An update replaces the
   * types of all columns by those that are set here.
   */
  public ColumnFamilyDefinition withColumnValueType(byte[] name, String type) {
    ColumnValueType added =
        ColumnValueType.newBuilder().setName(ByteString.copyFrom(name)).setType(type).build();
    return reset(COLUMN_VALUE_TYPES, false).change(builder -> builder.addColumnValueTypes(added));
  }

  /** The same without types of single columns; an update takes them back. */
  public ColumnFamilyDefinition withoutColumnValueTypes() {
    return reset(COLUMN_VALUE_TYPES, true).change(ColumnFamilyDef.Builder::clearColumnValueTypes);
  }

  /** The same with other bounds for the number of data files in a compaction. */
  public ColumnFamilyDefinition withCompactionThresholds(int min, int max) {
    return withMinCompactionThreshold(min).withMaxCompactionThreshold(max);
  }

  /** The same with another minimum of data files in a compaction. */
  public ColumnFamilyDefinition withMinCompactionThreshold(int min) {
    return change(builder -> builder.setMinCompactionThreshold(min));
  }

  /** The same with another maximum of data files in a compaction. */
  public ColumnFamilyDefinition withMaxCompactionThreshold(int max) {
    return change(builder -> builder.setMaxCompactionThreshold(max));
  }

  /** The same with a flush at this size of recent writes, in MiB. */
  public ColumnFamilyDefinition withMemtableThroughputMebibytes(int mebibytes) {
    return change(builder -> builder.getMemtableBuilder().setThroughputMb(mebibytes));
  }

  /** The same with a flush after another number of columns written or removed. */
  public ColumnFamilyDefinition withMemtableOperations(long operations) {
    return change(builder -> builder.getMemtableBuilder().setMaxOperations(operations));
  }

  /** The same with a flush so long after the first write, in whole seconds. */
  public ColumnFamilyDefinition withMemtableFlushAfter(Duration duration) {
    long seconds = wholeSeconds(duration);
    return change(
        builder -> builder.getMemtableBuilder().getFlushAfterBuilder().setSeconds(seconds));
  }

  static ColumnFamilyDefinition of(ColumnFamilyDef message) {
    return new ColumnFamilyDefinition(message.toBuilder().clearKeyspace().build(), Set.of());
  }

  ColumnFamilyDef in(String keyspace) {
    return message.toBuilder().setKeyspace(keyspace).build();
  }

  /** The request to change what is set here, and to take back what is reset. */
  UpdateColumnFamilyRequest update(String keyspace) {
    UpdateColumnFamilyRequest.Builder request =
        UpdateColumnFamilyRequest.newBuilder().setColumnFamily(in(keyspace));
    if (!resets.isEmpty()) {
      Set<String> paths = new TreeSet<>(resets);
      message.getAllFields().keySet().forEach(field -> paths.add(field.getName()));
      paths.remove("name");
      if (paths.remove(MEMTABLE)) {
        message
            .getMemtable()
            .getAllFields()
            .keySet()
            .forEach(field -> paths.add(MEMTABLE + "." + field.getName()));
      }
      request.getUpdateMaskBuilder().addAllPaths(paths);
    }
    return request.build();
  }

  private ColumnFamilyDefinition text(
      String path, String text, Consumer<ColumnFamilyDef.Builder> change) {
    return reset(path, text.isEmpty()).change(change);
  }

  private ColumnFamilyDefinition reset(String path, boolean reset) {
    Set<String> others = new TreeSet<>(resets);
    if (reset) {
      others.add(path);
    } else {
      others.remove(path);
    }
    return new ColumnFamilyDefinition(message, others);
  }

  private ColumnFamilyDefinition change(Consumer<ColumnFamilyDef.Builder> change) {
    ColumnFamilyDef.Builder builder = message.toBuilder();
    change.accept(builder);
    return new ColumnFamilyDefinition(builder.build(), resets);
  }

  private static Duration duration(com.google.protobuf.Duration message) {
    return Duration.ofSeconds(message.getSeconds(), message.getNanos());
  }

  private static long wholeSeconds(Duration duration) {
    if (duration.getNano() != 0) {
      throw new IllegalArgumentException("whole seconds are wanted here; got " + duration);
    }
    return duration.getSeconds();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ColumnFamilyDefinition that
        && message.equals(that.message)
        && resets.equals(that.resets);
  }

  @Override
  public int hashCode() {
    return 31 * message.hashCode() + resets.hashCode();
  }

  @Override
  public String toString() {
    return message.toString();
  }
}
