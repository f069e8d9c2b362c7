package dev.colonnade.server.ring;

import dev.colonnade.server.schema.Keyspace;
import java.util.List;

/**
 * Where the copies of a row go. Pure: the same ring and token give the same answer.
 *
 * <p>Thread-safe.
 */
@FunctionalInterface
public interface ReplicaPlacement {

  /**
   * The nodes that hold a row with this token, each once, the owner of the token first unless the
   * strategy counts data centres separately. Fewer than the keyspace asks for where the ring is too
   * small; whoever needs more finds the request unavailable.
   */
  List<RingNode> replicas(Ring ring, byte[] token);

  /**
   * The placement that a keyspace asks for.
   *
   * @param self the node that asks: what is local stays on it
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
