package dev.colonnade.cli.local.convert;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.config.StorageConf.IgnoredElement;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.yaml.snakeyaml.nodes.Node;

/** The keyspaces that a {@code cassandra.yaml} of Cassandra 0.7 defines. */
final class YamlKeyspaces {

  private static final String NOT_CHECKED =
      "values are not checked, and there are no indexes of columns";

  private final YamlFile file;
  private final List<IgnoredElement> ignored;

  YamlKeyspaces(YamlFile file, List<IgnoredElement> ignored) {
    this.file = file;
    this.ignored = ignored;
  }

  List<KeyspaceDefinition> read(YamlFile.Field list) throws CommandException {
    List<KeyspaceDefinition> keyspaces = new ArrayList<>();
    for (Node node : file.parts(list)) {
      keyspaces.add(keyspace(node));
    }
    return keyspaces;
  }

  private KeyspaceDefinition keyspace(Node node) throws CommandException {
    List<YamlFile.Field> fields = file.fields(node);
    KeyspaceDefinition keyspace = KeyspaceDefinition.of(name(fields, node));
    for (YamlFile.Field field : fields) {
      switch (field.name()) {
        case "name" -> {}
        case "replica_placement_strategy" -> keyspace = keyspace.withStrategy(file.text(field));
        case "replication_factor" ->
            keyspace = keyspace.withReplicationFactor(Math.toIntExact(file.wholeNumber(field)));
        case "strategy_options" -> keyspace = keyspace.withDatacenterReplicas(replicas(field));
        case "column_families" -> {
          for (Node family : file.parts(field)) {
            keyspace = keyspace.withFamily(family(keyspace.name(), family));
          }
        }
        default -> throw file.error(field.line(), "a keyspace has no " + field.name());
      }
    }
    if (!keyspace.datacenterReplicas().isEmpty()) {
      // 0.7 wanted a factor beside the data centres, and did not use it.
      keyspace = keyspace.withReplicationFactor(0);
    }
    try {
      Schema.empty(ComparatorResolver.builtIns()).checkKeyspace(keyspace);
      return keyspace;
    } catch (SchemaException e) {
      throw file.error(
          node.getStartMark().getLine() + 1,
          "keyspace " + keyspace.name() + ": " + String.valueOf(e.getMessage()));
    }
  }

  private String name(List<YamlFile.Field> fields, Node node) throws CommandException {
    for (YamlFile.Field field : fields) {
      if (field.name().equals("name")) {
        return file.text(field);
      }
    }
    throw file.error(node.getStartMark().getLine() + 1, "a name is missing");
  }

  private Map<String, Integer> replicas(YamlFile.Field options) throws CommandException {
    Map<String, Integer> replicas = new TreeMap<>();
    for (YamlFile.Field option : file.fieldsOf(options)) {
      replicas.put(option.name(), Math.toIntExact(file.wholeNumber(option)));
    }
    return replicas;
  }

  private FamilyDefinition family(String keyspace, Node node) throws CommandException {
    List<YamlFile.Field> fields = file.fields(node);
    FamilyDefinition family = FamilyDefinition.of(keyspace, name(fields, node));
    for (YamlFile.Field field : fields) {
      if (!file.isEmpty(field)) {
        family = with(family, field);
      }
    }
    return family;
  }

  private FamilyDefinition with(FamilyDefinition family, YamlFile.Field field)
      throws CommandException {
    return switch (field.name()) {
      case "name" -> family;
      case "column_type" -> family.with(FamilyField.COLUMN_TYPE, file.text(field));
      case "compare_with" -> family.with(FamilyField.COMPARE_WITH, file.text(field));
      case "compare_subcolumns_with" ->
          family.with(FamilyField.COMPARE_SUBCOLUMNS_WITH, file.text(field));
      case "comment" -> family.with(FamilyField.COMMENT, file.text(field));
      case "rows_cached" -> family.with(FamilyField.ROWS_CACHED, cached(field));
      case "keys_cached" -> family.with(FamilyField.KEYS_CACHED, cached(field));
      case "read_repair_chance" -> family.with(FamilyField.READ_REPAIR_CHANCE, file.number(field));
      case "gc_grace_seconds" -> family.with(FamilyField.GC_GRACE, file.wholeNumber(field));
      case "min_compaction_threshold" ->
          family.with(FamilyField.MIN_COMPACTION_THRESHOLD, file.wholeNumber(field));
      case "max_compaction_threshold" ->
          family.with(FamilyField.MAX_COMPACTION_THRESHOLD, file.wholeNumber(field));
      case "memtable_throughput_in_mb" ->
          family.with(FamilyField.MEMTABLE_THROUGHPUT, file.wholeNumber(field));
      case "memtable_operations_in_millions" ->
          family.with(
              FamilyField.MEMTABLE_MAX_OPERATIONS, Math.round(file.number(field) * 1_000_000));
      case "memtable_flush_after_mins" ->
          family.with(FamilyField.MEMTABLE_FLUSH_AFTER, file.wholeNumber(field) * 60);
      case "column_metadata", "default_validation_class" -> ignore(family, field, NOT_CHECKED);
      case "preload_row_cache", "row_cache_save_period_in_seconds" ->
          ignore(family, field, "caches fill by themselves and are not saved");
      case "key_cache_save_period_in_seconds" ->
          ignore(family, field, "caches fill by themselves and are not saved");
      default -> throw file.error(field.line(), "a column family has no " + field.name());
    };
  }

  /** Below 1 it is a share of all rows; the schema writes a share in percent. */
  private String cached(YamlFile.Field field) throws CommandException {
    String text = file.text(field);
    if (text.endsWith("%")) {
      return text;
    }
    double number = file.number(field);
    return number > 0 && number < 1 ? number * 100 + "%" : Long.toString((long) number);
  }

  private FamilyDefinition ignore(FamilyDefinition family, YamlFile.Field field, String reason) {
    ignored.add(new IgnoredElement(family.name() + "." + field.name(), field.line(), reason));
    return family;
  }
}
