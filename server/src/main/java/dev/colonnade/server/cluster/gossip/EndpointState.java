package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.codec.Hash128;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a node. Immutable.
 *
 * @param id the node's
 * @param hash stands for the id where both sides know it
 * @param generation grows with each start of the node
 * @param heartbeat grows with each of its rounds
 * @param version the greatest of all versions below
 * @param states sorted by key
 */
record EndpointState(
    String id,
    long hash,
    long generation,
    long heartbeat,
    long version,
    List<VersionedValue> states) {

  static EndpointState of(String id, long generation, long heartbeat, List<VersionedValue> states) {
    List<VersionedValue> sorted = new ArrayList<>(states);
    sorted.sort(Comparator.comparingInt(VersionedValue::key));
    return of(id, hashOf(id), generation, heartbeat, List.copyOf(sorted));
  }

  private static EndpointState of(
      String id, long hash, long generation, long heartbeat, List<VersionedValue> sorted) {
    long version = heartbeat;
    for (VersionedValue state : sorted) {
      version = Math.max(version, state.version());
    }
    return new EndpointState(id, hash, generation, heartbeat, version, sorted);
  }

  static long hashOf(String id) {
    return Hash128.of(id.getBytes(StandardCharsets.UTF_8)).high();
  }

  /** Returns the state of the next round, or with new values: each counts as a heartbeat. */
  EndpointState beat() {
    return new EndpointState(id, hash, generation, version + 1, version + 1, states);
  }

  /** Returns the state with values that replace older ones of their keys; never goes back. */
  EndpointState merged(long otherHeartbeat, List<VersionedValue> news) {
    long newest = Math.max(heartbeat, otherHeartbeat);
    if (news.isEmpty()) {
      return new EndpointState(id, hash, generation, newest, Math.max(version, newest), states);
    }
    List<VersionedValue> all = new ArrayList<>(states);
    for (VersionedValue state : news) {
      int at = place(all, state.key());
      if (at == all.size() || all.get(at).key() != state.key()) {
        all.add(at, state);
      } else if (all.get(at).version() < state.version()) {
        all.set(at, state);
      }
    }
    return of(id, hash, generation, newest, List.copyOf(all));
  }

  private static int place(List<VersionedValue> sorted, int key) {
    int at = 0;
    while (at < sorted.size() && sorted.get(at).key() < key) {
      at++;
    }
    return at;
  }

  /** Returns what was announced after a version. */
  List<VersionedValue> since(long known) {
    if (known == 0) {
      return states;
    }
    if (noneAfter(known)) {
      return List.of();
    }
    return states.stream().filter(state -> state.version() > known).toList();
  }

  private boolean noneAfter(long known) {
    for (VersionedValue state : states) {
      if (state.version() > known) {
        return false;
      }
    }
    return true;
  }

  Optional<String> state(ApplicationState key) {
    for (VersionedValue state : states) {
      if (state.key() == key.number()) {
        return Optional.of(state.value());
      }
    }
    return Optional.empty();
  }

  Optional<NodeStatus> status() {
    return state(ApplicationState.STATUS).flatMap(NodeStatus::parse);
  }

  /** Whether the node is gone for good. Cheap: checked for every digest. */
  boolean departed() {
    for (VersionedValue state : states) {
      if (state.key() == ApplicationState.STATUS.number()) {
        String text = state.value();
        return (text.startsWith("left:") || text.startsWith("removed:"))
            && status().filter(NodeStatus::departed).isPresent();
      }
    }
    return false;
  }

  /** Whether the node announced that it shuts down. */
  boolean shutDown() {
    return state(ApplicationState.SHUTDOWN).isPresent();
  }
}
