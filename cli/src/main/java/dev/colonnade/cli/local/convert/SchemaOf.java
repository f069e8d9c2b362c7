package dev.colonnade.cli.local.convert;

import dev.colonnade.cli.shell.run.SchemaScript;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.PlacementStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keyspaces of a configuration file as statements of the shell. */
public final class SchemaOf {

  private SchemaOf() {}

  /** Statements that create the keyspaces with their families. */
  public static String script(List<KeyspaceDefinition> keyspaces) {
    return SchemaScript.of(keyspaces.stream().map(SchemaOf::keyspace).toList());
  }

  private static dev.colonnade.client.KeyspaceDefinition keyspace(KeyspaceDefinition from) {
    dev.colonnade.client.KeyspaceDefinition keyspace =
        dev.colonnade.client.KeyspaceDefinition.named(from.name());
    // Nodes place so where nothing is said; who reads the statements should see it.
    keyspace =
        keyspace.withReplicaPlacementStrategy(
            from.strategy().isEmpty()
                ? PlacementStrategy.SIMPLE.shortName()
                : PlacementStrategy.byName(from.strategy())
                    .map(PlacementStrategy::shortName)
                    .orElse(from.strategy()));
    if (from.replicationFactor() > 0) {
      keyspace = keyspace.withReplicationFactor(from.replicationFactor());
    }
    if (!from.datacenterReplicas().isEmpty()) {
      keyspace = keyspace.withDatacenterReplicas(from.datacenterReplicas());
    }
    if (from.durableWrites().isPresent()) {
      keyspace = keyspace.withDurableWrites(from.durableWrites().get());
    }
    for (FamilyDefinition family : from.families()) {
      keyspace = keyspace.with(family(family));
    }
    return keyspace;
  }

  private static ColumnFamilyDefinition family(FamilyDefinition from) {
    String order = from.value(FamilyField.COMPARE_WITH).orElse("BytesType");
    Optional<String> within = from.value(FamilyField.COMPARE_SUBCOLUMNS_WITH);
    boolean isSuper =
        from.value(FamilyField.COLUMN_TYPE).map("Super"::equalsIgnoreCase).orElse(false);
    ColumnFamilyDefinition family =
        isSuper
            ? ColumnFamilyDefinition.superFamily(from.name(), order, within.orElse("BytesType"))
            : ColumnFamilyDefinition.standard(from.name(), order);
    for (Map.Entry<FamilyField, String> field : from.fields().entrySet()) {
      String text = field.getValue();
      family =
          switch (field.getKey()) {
            case COMMENT -> family.withComment(text);
            case ROWS_CACHED -> family.withRowsCached(text);
            case KEYS_CACHED -> family.withKeysCached(text);
            case READ_REPAIR_CHANCE -> family.withReadRepairChance(Double.parseDouble(text));
            case GC_GRACE -> family.withGcGrace(Duration.ofSeconds(Long.parseLong(text)));
            case MIN_COMPACTION_THRESHOLD ->
                family.withMinCompactionThreshold(Integer.parseInt(text));
            case MAX_COMPACTION_THRESHOLD ->
                family.withMaxCompactionThreshold(Integer.parseInt(text));
            case MEMTABLE_THROUGHPUT ->
                family.withMemtableThroughputMebibytes(Integer.parseInt(text));
            case MEMTABLE_MAX_OPERATIONS -> family.withMemtableOperations(Long.parseLong(text));
            case MEMTABLE_FLUSH_AFTER ->
                family.withMemtableFlushAfter(Duration.ofSeconds(Long.parseLong(text)));
            // Read above, or said by no file of those releases.
            case COLUMN_TYPE,
                COMPARE_WITH,
                COMPARE_SUBCOLUMNS_WITH,
                DEFAULT_TTL,
                KEY_TYPE,
                VALUE_TYPE,
                COLUMN_VALUE_TYPES,
                ANALYZER ->
                family;
          };
    }
    return family;
  }
}
