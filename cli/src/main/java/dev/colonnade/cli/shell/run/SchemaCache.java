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
 * The keyspaces of the cluster, as last fetched from a node. Fetched again when something is not
 * found, after every change from this session, and when a node refuses what fits the definitions.
 * Thread-safe: one thread runs statements, another may complete names meanwhile.
 */
public final class SchemaCache {

  private final Supplier<Schema> schema;
  private volatile Map<String, KeyspaceDefinition> known = Map.of();

  SchemaCache(Supplier<Schema> schema) {
    this.schema = schema;
  }

  /** The cached keyspaces; none before the first fetch. */
  public List<KeyspaceDefinition> known() {
    return List.copyOf(known.values());
  }

  /** Fetches them from a node. */
  public List<KeyspaceDefinition> refresh() {
    Map<String, KeyspaceDefinition> fresh = new LinkedHashMap<>();
    schema.get().keyspaces().forEach(keyspace -> fresh.put(keyspace.name(), keyspace));
    known = fresh;
    return known();
  }

  /** Drops the cache, which may be out of date. */
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
