package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.ReplicaShortage;
import dev.colonnade.server.cluster.ring.Topology;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Refuses keyspaces that want more copies of each row than there are nodes for them: their writes
 * would fail at the levels that count on all copies, and only later, when data is at stake.
 * Thread-safe.
 *
 * @param topology now; nodes that join count, and nodes that leave do not
 */
record EnoughNodes(Supplier<Topology> topology) {

  /** Refuses a new keyspace. Faults of other kinds are left to the schema, which names them. */
  void requireForNew(Schema schema, KeyspaceDefinition definition) {
    Keyspace made;
    try {
      made = schema.checkKeyspace(definition);
    } catch (SchemaException e) {
      return;
    }
    require(made, Optional.empty());
  }

  /** Refuses a change of a keyspace, unless it lets its rows have as many copies as before. */
  void requireForChange(Schema schema, KeyspaceDefinition change, List<String> mask) {
    Optional<Keyspace> changed;
    try {
      changed = schema.updateKeyspace(change, Set.copyOf(mask), 0).after().keyspace(change.name());
    } catch (SchemaException e) {
      return;
    }
    changed.ifPresent(keyspace -> require(keyspace, schema.keyspace(change.name())));
  }

  private void require(Keyspace keyspace, Optional<Keyspace> before) {
    ReplicaShortage.of(keyspace, before, topology.get().future().nodes())
        .ifPresent(
            shortage -> {
              throw RequestRefusal.precondition(
                  ErrorReasons.NOT_ENOUGH_NODES,
                  "keyspace",
                  "there are fewer nodes than copies of each row: "
                      + shortage
                      + ". Add nodes first, take a lower replication factor, or force it",
                  Map.of());
            });
  }
}
