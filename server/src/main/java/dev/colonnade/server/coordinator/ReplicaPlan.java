package dev.colonnade.server.coordinator;

import dev.colonnade.server.ring.RingNode;
import dev.colonnade.server.schema.Keyspace;
import dev.colonnade.server.schema.PlacementStrategy;
import java.util.List;

/**
 * How many replicas a level needs, and whether enough of them are alive. Pure.
 *
 * @param required answers that the level waits for
 * @param alive replicas that can be expected to answer
 */
record ReplicaPlan(Consistency consistency, int required, int alive) {

  /**
   * The plan for one row.
   *
   * @param aliveReplicas of the row
   * @param localDatacenter of the coordinator
   */
  static ReplicaPlan of(
      Consistency consistency,
      Keyspace keyspace,
      List<RingNode> aliveReplicas,
      String localDatacenter) {
    int factor = keyspace.replicationFactor();
    int alive = aliveReplicas.size();
    return switch (consistency) {
      case ZERO -> new ReplicaPlan(consistency, 0, alive);
      case ANY, ONE -> new ReplicaPlan(consistency, 1, alive);
      case TWO -> new ReplicaPlan(consistency, 2, alive);
      case THREE -> new ReplicaPlan(consistency, 3, alive);
      case QUORUM -> new ReplicaPlan(consistency, quorum(factor), alive);
      case ALL -> new ReplicaPlan(consistency, factor, alive);
      case LOCAL_QUORUM ->
          new ReplicaPlan(
              consistency,
              quorum(inDatacenter(keyspace, localDatacenter)),
              count(aliveReplicas, localDatacenter));
      case EACH_QUORUM -> eachQuorum(keyspace, aliveReplicas);
    };
  }

  /**
   * Each data centre counts no more than its own quorum, so a full one cannot stand in for another.
   */
  private static ReplicaPlan eachQuorum(Keyspace keyspace, List<RingNode> aliveReplicas) {
    if (keyspace.strategy() != PlacementStrategy.NETWORK_TOPOLOGY) {
      int required = quorum(keyspace.replicationFactor());
      return new ReplicaPlan(Consistency.EACH_QUORUM, required, aliveReplicas.size());
    }
    int required = 0;
    int alive = 0;
    for (String datacenter : keyspace.datacenterReplicas().keySet()) {
      int quorum = quorum(inDatacenter(keyspace, datacenter));
      required += quorum;
      alive += Math.min(quorum, count(aliveReplicas, datacenter));
    }
    return new ReplicaPlan(Consistency.EACH_QUORUM, required, alive);
  }

  private static int inDatacenter(Keyspace keyspace, String datacenter) {
    return keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY
        ? keyspace.datacenterReplicas().getOrDefault(datacenter, 0)
        : keyspace.replicationFactor();
  }

  private static int count(List<RingNode> nodes, String datacenter) {
    int count = 0;
    for (RingNode node : nodes) {
      if (node.datacenter().equals(datacenter)) {
        count++;
      }
    }
    return count;
  }

  private static int quorum(int replicas) {
    return replicas / 2 + 1;
  }

  boolean isMet() {
    return alive >= required;
  }
}
