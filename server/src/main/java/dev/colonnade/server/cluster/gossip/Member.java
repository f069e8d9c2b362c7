package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.net.Peer;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A node as this one knows it, at one moment. Immutable. */
public final class Member {

  private final EndpointState state;
  private final Peer peer;
  private final boolean alive;
  private final double phi;
  private final long lastHeardNanos;

  Member(EndpointState state, Peer peer, boolean alive, double phi, long lastHeardNanos) {
    this.state = state;
    this.peer = peer;
    this.alive = alive;
    this.phi = phi;
    this.lastHeardNanos = lastHeardNanos;
  }

  /** The node's id. */
  public String id() {
    return state.id();
  }

  /** Its id and where it listens. */
  public Peer peer() {
    return peer;
  }

  /** Grows with each start of the node; seconds since 1970 if its clock is right. */
  public long generation() {
    return state.generation();
  }

  /** Grows with each of its heartbeats and with each change of its states. */
  public long version() {
    return state.version();
  }

  /** Whether it is considered up. This node itself always is. */
  public boolean alive() {
    return alive;
  }

  /**
   * The suspicion that it is down, as of the snapshot; 0 for this node itself, infinite for one
   * that was never heard.
   */
  public double phi() {
    return phi;
  }

  /** When its last heartbeat arrived, by this node's monotonic clock. */
  public long lastHeardNanos() {
    return lastHeardNanos;
  }

  /** A value that it announces. */
  public Optional<String> state(ApplicationState key) {
    return state.state(key);
  }

  /** All values that it announces and this release understands. */
  public SortedMap<ApplicationState, String> states() {
    SortedMap<ApplicationState, String> states = new TreeMap<>();
    for (VersionedValue state : state.states()) {
      ApplicationState key = ApplicationState.of(state.key());
      if (key != null) {
        states.put(key, state.value());
      }
    }
    return Collections.unmodifiableSortedMap(states);
  }

  /** Its status on the ring; empty before it announced one, or if it is unreadable. */
  public Optional<NodeStatus> status() {
    return state.status();
  }

  /**
   * When it took its tokens, in microseconds since 1970 by its own clock, the same after each
   * restart; 0 if it does not announce that.
   */
  public long tokensSince() {
    try {
      return Math.max(0, Long.parseLong(state(ApplicationState.TOKENS_SINCE).orElse("0")));
    } catch (NumberFormatException notATime) {
      return 0;
    }
  }

  /** How much of its service it has withdrawn for now. */
  public Impact impact() {
    return state(ApplicationState.HEALTH).map(Impact::parse).orElse(Impact.NONE);
  }

  /** Whether it shut down in good order. */
  public boolean shutDown() {
    return state.shutDown();
  }

  @Override
  public String toString() {
    return peer + (alive ? " (up)" : " (down)");
  }
}
