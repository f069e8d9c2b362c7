package dev.colonnade.server.gossip;

import org.jspecify.annotations.Nullable;

/** What a node says of itself. Numbers are on the wire and never reused. */
public enum ApplicationState {
  /** What it does on the ring, as {@link NodeStatus} writes it. */
  STATUS(1),
  /** Its tokens, as {@link Tokens} writes them. */
  TOKENS(2),
  /** Bytes of live data, in decimal digits. */
  LOAD(3),
  /** The version of its schema. */
  SCHEMA(4),
  /** Where it says that it stands. */
  DATACENTER(5),
  /** Where it says that it stands. */
  RACK(6),
  /** The port for clients, in decimal digits. */
  CLIENT_PORT(7),
  /** Where it listens for other nodes, as {@code host:port}. */
  ADDRESS(8),
  /** The release that it runs. */
  VERSION(9),
  /**
   * What it does not serve for now: the name of an {@link dev.colonnade.server.health.Impact}, a
   * colon, and the reasons for people; empty or absent while nothing is wrong.
   */
  HEALTH(10),
  /** Present once it stops in good order; gone with its next generation. */
  SHUTDOWN(11),
  /** The id of a dead node that it takes out of the ring; empty or absent for none. */
  REMOVING(12),
  /**
   * The ids, with commas between, of nodes that it has on its ring from before its start and of
   * which it has heard nothing since; empty or absent for none.
   */
  UNKNOWN_PEERS(13),
  /** How far the change of the ring is that it makes, for people; empty or absent for none. */
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

  /** The state with that number; null for one of a newer version, which is only passed on. */
  static @Nullable ApplicationState of(int number) {
    return number < 0 || number >= BY_NUMBER.length ? null : BY_NUMBER[number];
  }
}
