package dev.colonnade.client;

import java.util.List;

/**
 * A node as the answering node sees it.
 *
 * @param tokens it owns the ranges that end in them; while it joins, it will
 * @param phi the suspicion of the failure detector: 0 is none, and grows while nothing is heard;
 *     infinite for a node that was never heard
 * @param loadBytes of its data files, as it last announced; 0 while that is not known
 * @param owns the share of the ring that it owns, from 0 to 1, replicas not counted; 0 under a
 *     partitioner that keeps the order of keys, except for a node alone
 * @param hintsPending how many hints wait for its return
 * @param schemaVersion the version of the schema that it knows; empty while that is not known
 */
public record RingNode(
    Endpoint endpoint,
    List<String> tokens,
    State state,
    Liveness liveness,
    double phi,
    long loadBytes,
    double owns,
    long hintsPending,
    String schemaVersion) {

  /** The state of a node on the ring. */
  public enum State {
    /** Not known. */
    UNKNOWN,
    /** It owns its ranges and serves them. */
    NORMAL,
    /** It is fetching the data of its ranges and does not serve reads yet. */
    JOINING,
    /** It is handing its ranges to others. */
    LEAVING,
    /** It is changing its token. */
    MOVING,
    /** It has left the ring. */
    LEFT
  }

  /** Whether the answering node believes another to be up. */
  public enum Liveness {
    /** Not known. */
    UNKNOWN,
    /** It sends heartbeats. */
    UP,
    /** It is late. */
    SUSPECT,
    /** It counts as dead until it is heard again. */
    DOWN;

    static Liveness of(dev.colonnade.admin.v1.Liveness message) {
      return switch (message) {
        case LIVENESS_UP -> UP;
        case LIVENESS_SUSPECT -> SUSPECT;
        case LIVENESS_DOWN -> DOWN;
        case LIVENESS_UNSPECIFIED, UNRECOGNIZED -> UNKNOWN;
      };
    }
  }

  /** Keeps a copy of the list. */
  public RingNode {
    tokens = List.copyOf(tokens);
  }

  static RingNode of(dev.colonnade.admin.v1.RingNode message) {
    return new RingNode(
        Endpoint.of(message.getEndpoint()),
        message.getTokensList(),
        switch (message.getState()) {
          case NODE_STATE_NORMAL -> State.NORMAL;
          case NODE_STATE_JOINING -> State.JOINING;
          case NODE_STATE_LEAVING -> State.LEAVING;
          case NODE_STATE_MOVING -> State.MOVING;
          case NODE_STATE_LEFT -> State.LEFT;
          case NODE_STATE_UNSPECIFIED, UNRECOGNIZED -> State.UNKNOWN;
        },
        Liveness.of(message.getLiveness()),
        message.getPhi(),
        message.getLoadBytes(),
        message.getOwns(),
        message.getHintsPending(),
        message.getSchemaVersion());
  }
}
