package dev.colonnade.server.base.schema;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks a keyspace's definition and adds defaults. */
final class KeyspaceReader {

  /** More copies than any ring can use. */
  static final int MAX_REPLICATION_FACTOR = 1_000;

  private final KeyspaceDefinition definition;
  private final String path;

  KeyspaceReader(KeyspaceDefinition definition, String path) {
    this.definition = definition;
    this.path = path;
  }

  Keyspace read(SortedMap<String, ColumnFamily> families) throws SchemaException {
    PlacementStrategy strategy = strategy();
    SortedMap<String, Integer> replicas = new TreeMap<>(definition.datacenterReplicas());
    int factor =
        strategy == PlacementStrategy.NETWORK_TOPOLOGY
            ? sumOfDatacenters(replicas)
            : plainFactor(strategy, replicas);
    return new Keyspace(
        definition.name(),
        strategy,
        factor,
        replicas,
        definition.durableWrites().orElse(true),
        families);
  }

  private PlacementStrategy strategy() throws SchemaException {
    String name = definition.strategy();
    if (name.isEmpty()) {
      return PlacementStrategy.SIMPLE;
    }
    Optional<PlacementStrategy> strategy = PlacementStrategy.byName(name);
    if (strategy.isEmpty() || strategy.get() == PlacementStrategy.LOCAL) {
      throw invalid(
          KeyspaceField.STRATEGY,
          "is SimpleStrategy, OldNetworkTopologyStrategy or NetworkTopologyStrategy; got "
              + Names.quote(name));
    }
    return strategy.get();
  }

  private int plainFactor(PlacementStrategy strategy, Map<String, Integer> replicas)
      throws SchemaException {
    if (!replicas.isEmpty()) {
      throw invalid(
          KeyspaceField.DATACENTER_REPLICAS,
          "is for NetworkTopologyStrategy; " + strategy.shortName() + " takes replication_factor");
    }
    int factor = definition.replicationFactor();
    if (factor < 0 || factor > MAX_REPLICATION_FACTOR) {
      throw invalid(
          KeyspaceField.REPLICATION_FACTOR,
          "is from 1 to " + MAX_REPLICATION_FACTOR + ", or 0 for the default of 1; got " + factor);
    }
    return Math.max(1, factor);
  }

  private int sumOfDatacenters(Map<String, Integer> replicas) throws SchemaException {
    long sum = 0;
    for (Map.Entry<String, Integer> entry : replicas.entrySet()) {
      if (!Names.isDatacenter(entry.getKey())) {
        throw invalid(
            KeyspaceField.DATACENTER_REPLICAS,
            "a data centre's name is 1 to 48 letters, digits, dots, hyphens or underscores; got "
                + Names.quote(entry.getKey()));
      }
      if (entry.getValue() < 0 || entry.getValue() > MAX_REPLICATION_FACTOR) {
        throw invalid(
            KeyspaceField.DATACENTER_REPLICAS,
            "a data centre has from 0 to "
                + MAX_REPLICATION_FACTOR
                + " replicas; "
                + entry.getKey()
                + " has "
                + entry.getValue());
      }
      sum += entry.getValue();
    }
    if (sum < 1 || sum > MAX_REPLICATION_FACTOR) {
      throw invalid(
          KeyspaceField.DATACENTER_REPLICAS,
          "NetworkTopologyStrategy needs from 1 to "
              + MAX_REPLICATION_FACTOR
              + " replicas in all data centres together; got "
              + sum);
    }
    int factor = definition.replicationFactor();
    if (factor != 0 && factor != sum) {
      throw invalid(
          KeyspaceField.REPLICATION_FACTOR,
          "is " + factor + ", but datacenter_replicas add up to " + sum + ": leave the factor out");
    }
    return (int) sum;
  }

  private SchemaException invalid(String field, String rule) {
    return SchemaException.invalid(
        path + "." + field, field + " of keyspace " + Names.quote(definition.name()) + ": " + rule);
  }
}
