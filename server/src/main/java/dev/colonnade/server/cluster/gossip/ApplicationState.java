package dev.colonnade.server.cluster.gossip;

import org.jspecify.annotations.Nullable;

/** What a node announces about itself. Numbers are on the wire and never reused. */
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
  TOKENS_SINCE(15),
  /**
   * The certificate with which it signs its states, as {@link NodeSignatures} writes it; absent
   * without encryption between nodes.
   */
  CERTIFICATE(16),
  /** The signature of all its states but this one and the next, as {@link StateSignature}. */
  SIGNATURE(17),
  /** What only this node could know before its last heartbeat: a link of {@link HeartbeatChain}. */
  HEARTBEAT_PROOF(18),
  /** Of a node that was removed: who agreed to it, as {@link RemovalVotes} writes it. */
  REMOVAL_VOTES(19);

  private static final @Nullable ApplicationState[] BY_NUMBER = new ApplicationState[20];

  static {
    for (ApplicationState state : values()) {
      BY_NUMBER[state.number] = state;
    }
  }

  private final int number;

  ApplicationState(int number) {
    this.number = number;
  }

  /** Whether it only proves the other states, and says nothing itself. */
  boolean isProof() {
    return this == CERTIFICATE
        || this == SIGNATURE
        || this == HEARTBEAT_PROOF
        || this == REMOVAL_VOTES;
  }

  /** The number on the wire. */
  int number() {
    return number;
  }

  /**
   * Returns the state with that number; null for a state of a newer version, which is only passed
   * on.
   */
  static @Nullable ApplicationState of(int number) {
    return number < 0 || number >= BY_NUMBER.length ? null : BY_NUMBER[number];
  }
}
