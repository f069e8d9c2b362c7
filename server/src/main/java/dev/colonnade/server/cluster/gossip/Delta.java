package dev.colonnade.server.cluster.gossip;

import java.util.List;
import java.util.Optional;

/**
 * News of a node for a receiver.
 *
 * @param id of the node; empty if the receiver is known to know it by its hash
 * @param since only valid for a receiver that knows the node's generation at least up to this
 *     version; 0: it is complete, and valid for every receiver
 * @param states announced after {@code since}
 */
record Delta(
    Optional<String> id,
    long hash,
    long generation,
    long heartbeat,
    long since,
    List<VersionedValue> states) {

  /** Returns the complete state of a node, for a receiver that may not know the node. */
  static Delta all(EndpointState state) {
    return new Delta(
        Optional.of(state.id()),
        state.hash(),
        state.generation(),
        state.heartbeat(),
        0,
        state.states());
  }

  /** Returns the news for a receiver that knows the node and its generation up to a version. */
  static Delta since(EndpointState state, long version) {
    return new Delta(
        Optional.empty(),
        state.hash(),
        state.generation(),
        state.heartbeat(),
        version,
        state.since(version));
  }

  /** The node's state according to this delta; complete if {@code since} is 0. */
  EndpointState endpoint(String nodeId) {
    return EndpointState.of(nodeId, generation, heartbeat, states);
  }

  /** Whether it says that another node declared this one to be gone for good. */
  boolean isRemoval() {
    for (VersionedValue state : states) {
      if (state.key() == ApplicationState.STATUS.number()) {
        return NodeStatus.parse(state.value())
            .filter(status -> status.kind() == NodeStatus.StatusKind.REMOVED)
            .isPresent();
      }
    }
    return false;
  }

  long version() {
    long version = heartbeat;
    for (VersionedValue state : states) {
      version = Math.max(version, state.version());
    }
    return version;
  }
}
