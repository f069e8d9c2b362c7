package dev.colonnade.client;

import dev.colonnade.admin.v1.KeyspaceDef;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The definition of a keyspace, or changes of one. Settings that are absent are the node's defaults
 * when a keyspace is created, and stay as they are when one is updated. A node checks the values.
 * Immutable.
 */
public final class KeyspaceDefinition {

  private final KeyspaceDef message;

  private KeyspaceDefinition(KeyspaceDef message) {
    this.message = message;
  }

  /** A keyspace without families, with one replica of each row; or the beginning of an update. */
  public static KeyspaceDefinition named(String name) {
    return new KeyspaceDefinition(KeyspaceDef.newBuilder().setName(name).build());
  }

  /** Its exact name. */
  public String name() {
    return message.getName();
  }

  /** The class that places replicas. */
  public String replicaPlacementStrategy() {
    return message.getReplicaPlacementStrategy();
  }

  /** How many replicas each row has. */
  public int replicationFactor() {
    return Math.max(1, message.getReplicationFactor());
  }

  /** How many replicas each row has in each data centre, under NetworkTopologyStrategy. */
  public Map<String, Integer> datacenterReplicas() {
    return Map.copyOf(message.getDatacenterReplicasMap());
  }

  /** Whether writes go through the commit log; if not, a crash loses what was not yet flushed. */
  public boolean durableWrites() {
    return !message.hasDurableWrites() || message.getDurableWrites();
  }

  /** Its column families. */
  public List<ColumnFamilyDefinition> columnFamilies() {
    return message.getColumnFamiliesList().stream().map(ColumnFamilyDefinition::of).toList();
  }

  /** The family of that name. */
  public Optional<ColumnFamilyDefinition> columnFamily(String name) {
    return columnFamilies().stream().filter(family -> family.name().equals(name)).findFirst();
  }

  /** The same with one more family. */
  public KeyspaceDefinition with(ColumnFamilyDefinition family) {
    return change(builder -> builder.addColumnFamilies(family.in(name())));
  }

  /** The same with another class that places replicas, as {@code SimpleStrategy}. */
  public KeyspaceDefinition withReplicaPlacementStrategy(String strategy) {
    return change(builder -> builder.setReplicaPlacementStrategy(strategy));
  }

  /** The same with another number of replicas of each row. */
  public KeyspaceDefinition withReplicationFactor(int replicas) {
    return change(builder -> builder.setReplicationFactor(replicas));
  }

  /** The same with replicas placed by a strategy, as {@code SimpleStrategy}. */
  public KeyspaceDefinition withReplication(String strategy, int replicationFactor) {
    return withReplicaPlacementStrategy(strategy).withReplicationFactor(replicationFactor);
  }

  /** The same with these numbers of replicas in each data centre, under NetworkTopologyStrategy. */
  public KeyspaceDefinition withDatacenterReplicas(Map<String, Integer> replicas) {
    return change(
        builder ->
            builder
                .setReplicaPlacementStrategy("NetworkTopologyStrategy")
                .clearDatacenterReplicas()
                .putAllDatacenterReplicas(replicas));
  }

  /** The same with or without the commit log. */
  public KeyspaceDefinition withDurableWrites(boolean durable) {
    return change(builder -> builder.setDurableWrites(durable));
  }

  static KeyspaceDefinition of(KeyspaceDef message) {
    return new KeyspaceDefinition(message);
  }

  KeyspaceDef message() {
    return message;
  }

  private KeyspaceDefinition change(Consumer<KeyspaceDef.Builder> change) {
    KeyspaceDef.Builder builder = message.toBuilder();
    change.accept(builder);
    return new KeyspaceDefinition(builder.build());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyspaceDefinition that && message.equals(that.message);
  }

  @Override
  public int hashCode() {
    return message.hashCode();
  }

  @Override
  public String toString() {
    return message.toString();
  }
}
