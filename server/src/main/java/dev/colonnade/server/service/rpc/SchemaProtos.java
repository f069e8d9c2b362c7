package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnValueType;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.MemtableLimits;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ColumnType;
import dev.colonnade.server.base.schema.ColumnValueTypes;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.FamilyOptions;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Converts definitions between the protocol's messages and the schema's records. The rules are in
 * the schema.
 */
final class SchemaProtos {

  /** Ten thousand years, the most that the protocol's Duration may hold. */
  private static final long MAX_DURATION_SECONDS = 315_576_000_000L;

  private SchemaProtos() {}

  /** A client's definition of a keyspace; {@code field} is its place in the request. */
  static KeyspaceDefinition definition(KeyspaceDef keyspace, String field) {
    List<FamilyDefinition> families = new ArrayList<>();
    for (int i = 0; i < keyspace.getColumnFamiliesCount(); i++) {
      families.add(
          definition(keyspace.getColumnFamilies(i), field + ".column_families[" + i + "]"));
    }
    return new KeyspaceDefinition(
        keyspace.getName(),
        keyspace.getReplicaPlacementStrategy(),
        keyspace.getReplicationFactor(),
        keyspace.getDatacenterReplicasMap(),
        keyspace.hasDurableWrites() ? Optional.of(keyspace.getDurableWrites()) : Optional.empty(),
        families);
  }

  /** A client's definition of a family; {@code field} is its place in the request. */
  static FamilyDefinition definition(ColumnFamilyDef family, String field) {
    FamilyDefinition definition = FamilyDefinition.of(family.getKeyspace(), family.getName());
    switch (family.getColumnType()) {
      case COLUMN_TYPE_UNSPECIFIED -> {}
      case COLUMN_TYPE_STANDARD -> definition = definition.withColumnType(ColumnType.STANDARD);
      case COLUMN_TYPE_SUPER -> definition = definition.withColumnType(ColumnType.SUPER);
      case UNRECOGNIZED ->
          throw RequestRefusal.invalid(
              field + ".column_type", "a column family is Standard or Super; this is neither");
    }
    definition = withText(definition, FamilyField.COMPARE_WITH, family.getCompareWith());
    definition =
        withText(
            definition, FamilyField.COMPARE_SUBCOLUMNS_WITH, family.getCompareSubcolumnsWith());
    definition = withText(definition, FamilyField.COMMENT, family.getComment());
    definition = withText(definition, FamilyField.KEYS_CACHED, family.getKeysCached());
    definition = withText(definition, FamilyField.ROWS_CACHED, family.getRowsCached());
    if (family.hasReadRepairChance()) {
      definition = definition.with(FamilyField.READ_REPAIR_CHANCE, family.getReadRepairChance());
    }
    if (family.hasGcGrace()) {
      definition =
          definition.with(FamilyField.GC_GRACE, duration(family.getGcGrace(), field + ".gc_grace"));
    }
    if (family.hasMinCompactionThreshold()) {
      definition =
          definition.with(FamilyField.MIN_COMPACTION_THRESHOLD, family.getMinCompactionThreshold());
    }
    if (family.hasMaxCompactionThreshold()) {
      definition =
          definition.with(FamilyField.MAX_COMPACTION_THRESHOLD, family.getMaxCompactionThreshold());
    }
    if (family.hasDefaultTtl()) {
      definition =
          definition.with(
              FamilyField.DEFAULT_TTL, duration(family.getDefaultTtl(), field + ".default_ttl"));
    }
    definition = withText(definition, FamilyField.KEY_TYPE, family.getKeyType());
    definition = withText(definition, FamilyField.VALUE_TYPE, family.getValueType());
    definition =
        withText(
            definition,
            FamilyField.COLUMN_VALUE_TYPES,
            columnValueTypes(family, field + ".column_value_types").text());
    definition = withText(definition, FamilyField.ANALYZER, family.getAnalyzer());
    return withMemtable(definition, family.getMemtable(), field + ".memtable");
  }

  private static FamilyDefinition withMemtable(
      FamilyDefinition family, MemtableLimits limits, String field) {
    FamilyDefinition definition = family;
    if (limits.hasThroughputMb()) {
      definition = definition.with(FamilyField.MEMTABLE_THROUGHPUT, limits.getThroughputMb());
    }
    if (limits.hasMaxOperations()) {
      definition = definition.with(FamilyField.MEMTABLE_MAX_OPERATIONS, limits.getMaxOperations());
    }
    if (limits.hasFlushAfter()) {
      definition =
          definition.with(
              FamilyField.MEMTABLE_FLUSH_AFTER,
              duration(limits.getFlushAfter(), field + ".flush_after"));
    }
    return definition;
  }

  private static ColumnValueTypes columnValueTypes(ColumnFamilyDef family, String field) {
    Map<String, String> types = new TreeMap<>();
    for (int i = 0; i < family.getColumnValueTypesCount(); i++) {
      ColumnValueType each = family.getColumnValueTypes(i);
      String digits = ColumnValueTypes.digits(each.getName().toByteArray());
      if (!ColumnValueTypes.isType(each.getType())) {
        // Checked before all of them become one text, in which a comma would begin another one.
        throw RequestRefusal.invalid(field, ColumnValueTypes.RULE_OF_TYPES);
      }
      if (types.put(digits, each.getType()) != null) {
        throw RequestRefusal.invalid(
            field + "[" + i + "].name", "has a type already: each name stands here once");
      }
    }
    return new ColumnValueTypes(types);
  }

  private static FamilyDefinition withText(
      FamilyDefinition family, FamilyField field, String text) {
    return text.isEmpty() ? family : family.with(field, text);
  }

  private static java.time.Duration duration(Duration duration, String field) {
    boolean valid =
        Math.abs(duration.getSeconds()) <= MAX_DURATION_SECONDS
            && Math.abs((long) duration.getNanos()) < 1_000_000_000L;
    if (!valid) {
      throw RequestRefusal.invalid(
          field, "not a duration: seconds and nanoseconds are out of range");
    }
    return java.time.Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
  }

  /** The message of a keyspace, with all defaults filled in. */
  static KeyspaceDef.Builder withoutFamilies(Keyspace keyspace) {
    return KeyspaceDef.newBuilder()
        .setName(keyspace.name())
        .setReplicaPlacementStrategy(keyspace.strategy().shortName())
        .setReplicationFactor(keyspace.replicationFactor())
        .putAllDatacenterReplicas(keyspace.datacenterReplicas())
        .setDurableWrites(keyspace.durableWrites());
  }

  static ColumnFamilyDef message(ColumnFamily family) {
    FamilyOptions options = family.options();
    ColumnFamilyDef.Builder message =
        ColumnFamilyDef.newBuilder()
            .setKeyspace(family.keyspace())
            .setName(family.name())
            .setColumnType(
                family.isSuper()
                    ? dev.colonnade.admin.v1.ColumnType.COLUMN_TYPE_SUPER
                    : dev.colonnade.admin.v1.ColumnType.COLUMN_TYPE_STANDARD)
            .setCompareWith(family.compareWith().typeName())
            .setComment(options.comment())
            .setKeysCached(options.keysCached().toString())
            .setRowsCached(options.rowsCached().toString())
            .setReadRepairChance(options.readRepairChance())
            .setGcGrace(Duration.newBuilder().setSeconds(options.gcGraceSeconds()))
            .setMinCompactionThreshold(options.minCompactionThreshold())
            .setMaxCompactionThreshold(options.maxCompactionThreshold())
            .setMemtable(
                MemtableLimits.newBuilder()
                    .setThroughputMb(options.memtable().throughputMebibytes())
                    .setMaxOperations(options.memtable().maxOperations())
                    .setFlushAfter(
                        Duration.newBuilder()
                            .setSeconds(options.memtable().flushAfter().toSeconds())));
    family
        .compareSubcolumnsWith()
        .ifPresent(comparator -> message.setCompareSubcolumnsWith(comparator.typeName()));
    FamilyDefinition definition = family.definition();
    message.setKeyType(definition.value(FamilyField.KEY_TYPE).orElse(""));
    message.setValueType(definition.value(FamilyField.VALUE_TYPE).orElse(""));
    message.setAnalyzer(definition.value(FamilyField.ANALYZER).orElse(""));
    ColumnValueTypes.parse(definition.value(FamilyField.COLUMN_VALUE_TYPES).orElse(""))
        .types()
        .forEach(
            (digits, type) ->
                message.addColumnValueTypes(
                    ColumnValueType.newBuilder()
                        .setName(ByteString.fromHex(digits))
                        .setType(type)));
    if (options.defaultTtlSeconds() > 0) {
      message.setDefaultTtl(Duration.newBuilder().setSeconds(options.defaultTtlSeconds()));
    }
    return message.build();
  }
}
