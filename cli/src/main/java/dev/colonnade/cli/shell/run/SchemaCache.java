package dev.colonnade.cli.shell.run;

import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.NotFoundException;
import dev.colonnade.client.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Definitions of keyspaces, as last fetched from a node. A statement fetches the one keyspace that
 * it is about; lists and completion fetch all. Fetched again when something is not found, after
 * every change from this session, and when a node refuses what fits the definitions. Thread-safe:
 * one thread runs statements, another may complete names meanwhile.
 */
public final class SchemaCache {

  private final Supplier<Schema> schema;
  private final Map<String, KeyspaceDefinition> byName = new ConcurrentHashMap<>();
  private volatile List<KeyspaceDefinition> all = List.of();

  SchemaCache(Supplier<Schema> schema) {
    this.schema = schema;
  }

  /** All keyspaces, as the last {@link #refresh} found them; none before the first. */
  public List<KeyspaceDefinition> known() {
    return all;
  }

  /** Fetches all keyspaces from a node. */
  public List<KeyspaceDefinition> refresh() {
    List<KeyspaceDefinition> fetched = List.copyOf(schema.get().keyspaces());
    Map<String, KeyspaceDefinition> fresh = new LinkedHashMap<>();
    fetched.forEach(keyspace -> fresh.put(keyspace.name(), keyspace));
    byName.keySet().retainAll(fresh.keySet());
    byName.putAll(fresh);
    all = fetched;
    return fetched;
  }

  /** Drops the cache, which may be out of date. */
  void forget() {
    byName.clear();
    all = List.of();
  }

  Optional<KeyspaceDefinition> keyspace(String name) {
    KeyspaceDefinition cached = byName.get(name);
    return cached == null ? fetch(name) : Optional.of(cached);
  }

  Optional<ColumnFamilyDefinition> family(String keyspace, String name) {
    Optional<ColumnFamilyDefinition> found =
        keyspace(keyspace).flatMap(each -> each.columnFamily(name));
    return found.isPresent() ? found : fetch(keyspace).flatMap(each -> each.columnFamily(name));
  }

  private Optional<KeyspaceDefinition> fetch(String name) {
    try {
      KeyspaceDefinition fetched = schema.get().keyspace(name);
      byName.put(name, fetched);
      return Optional.of(fetched);
    } catch (NotFoundException none) {
      byName.remove(name);
      return Optional.empty();
    }
  }
}
