package dev.colonnade.server.gossip;

import java.util.List;
import java.util.Optional;

/**
 * What is news of a node to somebody.
 *
 * @param id of the node; empty where the receiver is known to know it by its hash
 * @param since holds for who knows the node's generation up to this version at least; 0: it is all
 *     that there is, for anybody
 * @param states said after {@code since}
 */
record Delta(
    Optional<String> id,
    long hash,
    long generation,
    long heartbeat,
    long since,
    List<VersionedValue> states) {

  /** All of a node, for who may never have heard of it. */
  static Delta all(EndpointState state) {
    return new Delta(
        Optional.of(state.id()),
        state.hash(),
        state.generation(),
        state.heartbeat(),
        0,
        state.states());
  }

  /** What is news to who knows the node and its generation up to a version. */
  static Delta since(EndpointState state, long version) {
    return new Delta(
        Optional.empty(),
        state.hash(),
        state.generation(),
        state.heartbeat(),
        version,
        state.since(version));
  }

  /** The node as this says it is; all of it where {@code since} is 0. */
  EndpointState endpoint(String nodeId) {
    return EndpointState.of(nodeId, generation, heartbeat, states);
  }

  long version() {
    long version = heartbeat;
    for (VersionedValue state : states) {
      version = Math.max(version, state.version());
    }
    return version;
  }
}
