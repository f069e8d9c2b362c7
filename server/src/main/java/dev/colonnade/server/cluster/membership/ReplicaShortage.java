package dev.colonnade.server.cluster.membership;

import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.PlacementStrategy;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.ring.RingNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Finds keyspaces that want more copies of a row than there would be nodes without the leaving one.
 */
final class ReplicaShortage {

  private ReplicaShortage() {}

  /**
   * Lists these keyspaces with the wanted and remaining numbers; empty if there are enough nodes.
   *
   * @param ring all nodes of it, the leaving one included
   */
  static Optional<String> without(RingNode leaving, Collection<RingNode> ring, Schema schema) {
    List<RingNode> left = ring.stream().filter(node -> !node.id().equals(leaving.id())).toList();
    List<String> lacking = new ArrayList<>();
    for (Keyspace keyspace : schema.keyspaces().values()) {
      if (keyspace.isSystem()) {
        continue;
      }
      if (keyspace.strategy() == PlacementStrategy.NETWORK_TOPOLOGY) {
        // Other data centres lose nothing.
        String datacenter = leaving.datacenter();
        long nodes = left.stream().filter(node -> node.datacenter().equals(datacenter)).count();
        int wanted = keyspace.datacenterReplicas().getOrDefault(datacenter, 0);
        if (wanted > nodes) {
          lacking.add(
              keyspace.name() + " (" + wanted + " in " + datacenter + ", of " + nodes + ")");
        }
      } else if (keyspace.replicationFactor() > left.size()) {
        lacking.add(
            keyspace.name() + " (" + keyspace.replicationFactor() + ", of " + left.size() + ")");
      }
    }
    return lacking.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lacking));
  }
}
