package dev.colonnade.server.cluster.ring;

import dev.colonnade.server.base.schema.Keyspace;
import java.util.List;

/**
 * Decides which nodes hold the copies of a row. Pure: the same ring and token give the same answer.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface ReplicaPlacement {

  /**
   * Returns the nodes that hold a row with this token, each once, the owner of the token first
   * unless the strategy counts data centres separately. Returns fewer than the keyspace asks for if
   * the ring is too small; a request that needs more is unavailable.
   */
  List<RingNode> replicas(Ring ring, byte[] token);

  /**
   * Returns the placement of a keyspace.
   *
   * @param self this node: a local keyspace stays on it
   */
  static ReplicaPlacement of(Keyspace keyspace, RingNode self) {
    int factor = keyspace.replicationFactor();
    return switch (keyspace.strategy()) {
      case SIMPLE -> new SimpleStrategy(factor);
      case OLD_NETWORK_TOPOLOGY -> new OldNetworkTopologyStrategy(factor);
      case NETWORK_TOPOLOGY -> new NetworkTopologyStrategy(keyspace.datacenterReplicas());
      case LOCAL -> new LocalStrategy(self);
    };
  }
}
