package dev.colonnade.server.base.schema;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A keyspace as defined by a schema.
 *
 * <p>Immutable.
 *
 * @param replicationFactor copies of each row, at least 1; with NETWORK_TOPOLOGY the sum over the
 *     data centres
 * @param datacenterReplicas copies in each data centre; empty except with NETWORK_TOPOLOGY
 * @param durableWrites whether writes go through the commit log
 * @param families by name, sorted
 */
public record Keyspace(
    String name,
    PlacementStrategy strategy,
    int replicationFactor,
    SortedMap<String, Integer> datacenterReplicas,
    boolean durableWrites,
    SortedMap<String, ColumnFamily> families) {

  /** Copies the maps. */
  public Keyspace {
    datacenterReplicas = Collections.unmodifiableSortedMap(new TreeMap<>(datacenterReplicas));
    families = Collections.unmodifiableSortedMap(new TreeMap<>(families));
  }

  /** Returns the family of that name; case matters. */
  public Optional<ColumnFamily> family(String familyName) {
    return Optional.ofNullable(families.get(familyName));
  }

  /** Whether it is the node's own keyspace, which clients may read but not change. */
  public boolean isSystem() {
    return name.equals(SystemKeyspace.NAME);
  }
}
