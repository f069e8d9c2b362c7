package dev.colonnade.server.base.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The definition of a keyspace as a user gave it. Nothing is checked before the schema takes it.
 *
 * <p>Immutable.
 *
 * @param strategy short, old or dotted; empty if it was not given
 * @param replicationFactor 0 if it was not given
 * @param datacenterReplicas empty if they were not given
 * @param durableWrites empty if it was not given
 */
public record KeyspaceDefinition(
    String name,
    String strategy,
    int replicationFactor,
    Map<String, Integer> datacenterReplicas,
    Optional<Boolean> durableWrites,
    List<FamilyDefinition> families) {

  /** Copies the collections. */
  public KeyspaceDefinition {
    datacenterReplicas = new TreeMap<>(datacenterReplicas);
    families = List.copyOf(families);
  }

  /** Defines an empty keyspace with all defaults. */
  public static KeyspaceDefinition of(String name) {
    return new KeyspaceDefinition(name, "", 0, Map.of(), Optional.empty(), List.of());
  }

  /** Returns this definition with a placement strategy. */
  public KeyspaceDefinition withStrategy(String newStrategy) {
    return new KeyspaceDefinition(
        name, newStrategy, replicationFactor, datacenterReplicas, durableWrites, families);
  }

  /** Returns this definition with a replication factor. */
  public KeyspaceDefinition withReplicationFactor(int newFactor) {
    return new KeyspaceDefinition(
        name, strategy, newFactor, datacenterReplicas, durableWrites, families);
  }

  /** Returns this definition with a number of copies in each data centre. */
  public KeyspaceDefinition withDatacenterReplicas(Map<String, Integer> replicas) {
    return new KeyspaceDefinition(
        name, strategy, replicationFactor, replicas, durableWrites, families);
  }

  /** Returns this definition with or without the commit log. */
  public KeyspaceDefinition withDurableWrites(boolean durable) {
    return new KeyspaceDefinition(
        name, strategy, replicationFactor, datacenterReplicas, Optional.of(durable), families);
  }

  /** Returns this definition with one more family. */
  public KeyspaceDefinition withFamily(FamilyDefinition family) {
    List<FamilyDefinition> more = new ArrayList<>(families);
    more.add(family);
    return new KeyspaceDefinition(
        name, strategy, replicationFactor, datacenterReplicas, durableWrites, more);
  }
}
