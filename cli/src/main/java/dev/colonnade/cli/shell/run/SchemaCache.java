package dev.colonnade.cli.shell.run;

import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The keyspaces of the cluster, as a node told them last. Asked again when something is not found,
 * after every change from here, and when a node refuses what fits the definitions. Thread-safe: one
 * thread runs statements, another may complete names meanwhile.
 */
public final class SchemaCache {

  private final Supplier<Schema> schema;
  private volatile Map<String, KeyspaceDefinition> known = Map.of();

  SchemaCache(Supplier<Schema> schema) {
    this.schema = schema;
  }

  /** What is known without asking; none before anything was asked. */
  public List<KeyspaceDefinition> known() {
    return List.copyOf(known.values());
  }

  /** Asks a node. */
  public List<KeyspaceDefinition> refresh() {
    Map<String, KeyspaceDefinition> fresh = new LinkedHashMap<>();
    schema.get().keyspaces().forEach(keyspace -> fresh.put(keyspace.name(), keyspace));
    known = fresh;
    return known();
  }

  /** What was known may be wrong. */
  void forget() {
    known = Map.of();
  }

  Optional<KeyspaceDefinition> keyspace(String name) {
    if (!known.containsKey(name)) {
      List<KeyspaceDefinition> unused = refresh();
    }
    return Optional.ofNullable(known.get(name));
  }

  Optional<ColumnFamilyDefinition> family(String keyspace, String name) {
    Optional<ColumnFamilyDefinition> found =
        keyspace(keyspace).flatMap(each -> each.columnFamily(name));
    if (found.isPresent()) {
      return found;
    }
    List<KeyspaceDefinition> unused = refresh();
    return keyspace(keyspace).flatMap(each -> each.columnFamily(name));
  }
}
