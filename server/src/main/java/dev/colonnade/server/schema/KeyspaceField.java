package dev.colonnade.server.schema;

import java.util.Set;

/**
 * The parts of a keyspace's definition: paths in the protocol's message and names of stored cells.
 */
final class KeyspaceField {

  static final String STRATEGY = "replica_placement_strategy";
  static final String REPLICATION_FACTOR = "replication_factor";
  static final String DATACENTER_REPLICAS = "datacenter_replicas";
  static final String DURABLE_WRITES = "durable_writes";

  /** One cell for each data centre, so that changes of two at once both stay. */
  static final String DATACENTER_PREFIX = DATACENTER_REPLICAS + ".";

  static final Set<String> ALL =
      Set.of(STRATEGY, REPLICATION_FACTOR, DATACENTER_REPLICAS, DURABLE_WRITES);

  private KeyspaceField() {}
}
