package dev.colonnade.server.cluster.gossip;

import org.jspecify.annotations.Nullable;

/**
 * What a node announces about itself. Numbers are on the wire and never reused; 16 to 19 are the
 * certificate, signatures and votes of 0.2.0, which are passed on like those of a newer version.
 */
public enum ApplicationState {
  /** Its status on the ring, as {@link NodeStatus} writes it. */
  STATUS(1),
  /** Its tokens, as {@link TokenCodec} writes them. */
  TOKENS(2),
  /** Bytes of live data, in decimal digits. */
  LOAD(3),
  /** The version of its schema. */
  SCHEMA(4),
  /** The data centre that it announces. */
  DATACENTER(5),
  /** The rack that it announces. */
  RACK(6),
  /** The port for clients, in decimal digits. */
  CLIENT_PORT(7),
  /** Where it listens for other nodes, as {@code host:port}. */
  ADDRESS(8),
  /** The release that it runs. */
  VERSION(9),
  /**
   * What it does not serve for now: the name of an {@link dev.colonnade.server.base.health.Impact},
   * a colon, and the reasons for people; empty or absent while nothing is wrong.
   */
  HEALTH(10),
  /** Present once it has begun an orderly shutdown; gone with its next generation. */
  SHUTDOWN(11),
  /** The id of a dead node that it removes from the ring; empty or absent for none. */
  REMOVING(12),
  /**
   * The ids, separated by commas, of nodes that were on its ring before its start and that it has
   * not heard of since; empty or absent for none.
   */
  UNKNOWN_PEERS(13),
  /** The progress of the ring change that it makes, for people; empty or absent for none. */
  PROGRESS(14),
  /** When it took its tokens, in microseconds since 1970 by its own clock, in decimal digits. */
  TOKENS_SINCE(15);

  private static final @Nullable ApplicationState[] BY_NUMBER = new ApplicationState[16];

  static {
    for (ApplicationState state : values()) {
      BY_NUMBER[state.number] = state;
    }
  }

  private final int number;

  ApplicationState(int number) {
    this.number = number;
  }

  /** The number on the wire. */
  int number() {
    return number;
  }

  /**
   * Returns the state with that number; null for a state of another version, which is only passed
   * on.
   */
  static @Nullable ApplicationState of(int number) {
    return number < 0 || number >= BY_NUMBER.length ? null : BY_NUMBER[number];
  }
}
