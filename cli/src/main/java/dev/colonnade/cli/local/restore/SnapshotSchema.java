package dev.colonnade.cli.local.restore;

import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ColumnValueTypes;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.Keyspace;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;

/** Turns the definitions in a snapshot into those that a client sends. */
final class SnapshotSchema {

  private SnapshotSchema() {}

  /** The keyspace without families. */
  static KeyspaceDefinition keyspace(Keyspace keyspace) {
    KeyspaceDefinition definition =
        KeyspaceDefinition.named(keyspace.name())
            .withReplicaPlacementStrategy(keyspace.strategy().shortName())
            .withDurableWrites(keyspace.durableWrites());
    return keyspace.datacenterReplicas().isEmpty()
        ? definition.withReplicationFactor(keyspace.replicationFactor())
        : definition.withDatacenterReplicas(keyspace.datacenterReplicas());
  }

  /** A family, with all that was said of it. */
  static ColumnFamilyDefinition family(ColumnFamily family) {
    String compareWith = family.compareWith().typeName();
    ColumnFamilyDefinition definition =
        family
            .compareSubcolumnsWith()
            .map(
                sub ->
                    ColumnFamilyDefinition.superFamily(family.name(), compareWith, sub.typeName()))
            .orElseGet(() -> ColumnFamilyDefinition.standard(family.name(), compareWith));
    for (Map.Entry<FamilyField, String> field : family.definition().fields().entrySet()) {
      definition = with(definition, field.getKey(), field.getValue());
    }
    return definition;
  }

  private static ColumnFamilyDefinition with(
      ColumnFamilyDefinition definition, FamilyField field, String text) {
    return switch (field) {
      case COLUMN_TYPE, COMPARE_WITH, COMPARE_SUBCOLUMNS_WITH -> definition;
      case COMMENT -> definition.withComment(text);
      case KEYS_CACHED -> definition.withKeysCached(text);
      case ROWS_CACHED -> definition.withRowsCached(text);
      case READ_REPAIR_CHANCE -> definition.withReadRepairChance(Double.parseDouble(text));
      case GC_GRACE -> definition.withGcGrace(seconds(text));
      case MIN_COMPACTION_THRESHOLD ->
          definition.withMinCompactionThreshold(Integer.parseInt(text));
      case MAX_COMPACTION_THRESHOLD ->
          definition.withMaxCompactionThreshold(Integer.parseInt(text));
      case MEMTABLE_THROUGHPUT ->
          definition.withMemtableThroughputMebibytes(Integer.parseInt(text));
      case MEMTABLE_MAX_OPERATIONS -> definition.withMemtableOperations(Long.parseLong(text));
      case MEMTABLE_FLUSH_AFTER -> definition.withMemtableFlushAfter(seconds(text));
      case DEFAULT_TTL ->
          Long.parseLong(text) == 0 ? definition : definition.withDefaultTtl(seconds(text));
      case KEY_TYPE -> definition.withKeyType(text);
      case VALUE_TYPE -> definition.withValueType(text);
      case COLUMN_VALUE_TYPES -> withColumns(definition, ColumnValueTypes.parse(text));
      case ANALYZER -> definition.withAnalyzer(text);
    };
  }

  private static ColumnFamilyDefinition withColumns(
      ColumnFamilyDefinition definition, ColumnValueTypes types) {
    ColumnFamilyDefinition changed = definition;
    for (Map.Entry<String, String> each : types.types().entrySet()) {
      changed =
          changed.withColumnValueType(HexFormat.of().parseHex(each.getKey()), each.getValue());
    }
    return changed;
  }

  private static Duration seconds(String text) {
    return Duration.ofSeconds(Long.parseLong(text));
  }
}
