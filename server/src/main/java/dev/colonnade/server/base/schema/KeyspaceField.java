package dev.colonnade.server.base.schema;

import java.util.Set;

/**
 * The fields of a keyspace's definition: paths in the protocol's message and names of stored cells.
 */
final class KeyspaceField {

  static final String STRATEGY = "replica_placement_strategy";
  static final String REPLICATION_FACTOR = "replication_factor";
  static final String DATACENTER_REPLICAS = "datacenter_replicas";
  static final String DURABLE_WRITES = "durable_writes";

  /** One cell for each data centre, so that concurrent changes of two are both kept. */
  static final String DATACENTER_PREFIX = DATACENTER_REPLICAS + ".";

  /** How many replicas a data centre had before it was removed. */
  private static final String FORMER_PREFIX = "former_datacenter_replicas.";

  static final Set<String> ALL =
      Set.of(STRATEGY, REPLICATION_FACTOR, DATACENTER_REPLICAS, DURABLE_WRITES);

  private KeyspaceField() {}

  /** Whether a stored field is a data centre's number of replicas. */
  static boolean isDatacenter(String field) {
    return field.startsWith(DATACENTER_PREFIX);
  }

  /** Whether a stored field holds the former replicas of a data centre. */
  static boolean isFormerReplicas(String field) {
    return field.startsWith(FORMER_PREFIX);
  }

  /** The field that holds the former replicas of a data centre, by the data centre's field. */
  static String formerReplicas(String datacenterField) {
    return FORMER_PREFIX + datacenterField.substring(DATACENTER_PREFIX.length());
  }

  /** The data centre's field, by the field of its former replicas. */
  static String formerDatacenter(String formerField) {
    return DATACENTER_PREFIX + formerField.substring(FORMER_PREFIX.length());
  }
}
