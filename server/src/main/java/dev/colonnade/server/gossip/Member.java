package dev.colonnade.server.gossip;

import dev.colonnade.server.health.Impact;
import dev.colonnade.server.net.Peer;
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

  /** Grows with each start of the node; seconds since 1970 where its clock is right. */
  public long generation() {
    return state.generation();
  }

  /** Grows with each of its heartbeats and with each change of its states. */
  public long version() {
    return state.version();
  }

  /** Whether it is held to be up. This node itself always is. */
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

  /** When a heartbeat of it came last, by this node's monotonic clock. */
  public long lastHeardNanos() {
    return lastHeardNanos;
  }

  /** What it says of itself. */
  public Optional<String> state(ApplicationState key) {
    return state.state(key);
  }

  /** All that it says of itself and this release understands. */
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

  /** What it does on the ring; nothing before it said so, or where it says what nobody knows. */
  public Optional<NodeStatus> status() {
    return state.status();
  }

  /**
   * When it took its tokens, in microseconds since 1970 by its own clock, however often it was
   * started since; 0 where it does not say so.
   */
  public long tokensSince() {
    try {
      return Math.max(0, Long.parseLong(state(ApplicationState.TOKENS_SINCE).orElse("0")));
    } catch (NumberFormatException notATime) {
      return 0;
    }
  }

  /** How much of its service it says that it withdraws for now. */
  public Impact impact() {
    return state(ApplicationState.HEALTH).map(Impact::parse).orElse(Impact.NONE);
  }

  /** Whether it stopped in good order. */
  public boolean shutDown() {
    return state.shutDown();
  }

  @Override
  public String toString() {
    return peer + (alive ? " (up)" : " (down)");
  }
}
