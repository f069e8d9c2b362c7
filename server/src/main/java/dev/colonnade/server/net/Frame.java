package dev.colonnade.server.net;

import org.jspecify.annotations.Nullable;

/**
 * One message on its way. Whoever holds it must not change the body.
 *
 * @param kind what it is in a conversation
 * @param verb what is asked, also in answers
 * @param from who sent it, and where answers go
 * @param toId the node it is meant for; empty for whoever listens there. Another node drops it
 * @param number joins a request with its answer; the sender's own, 0 for {@link FrameKind#ONE_WAY}
 * @param timeoutNanos after so long the asker listens no more, in a request as in its answer; 0 for
 *     no limit. Durations travel, since clocks differ. A transport that keeps a frame for a while
 *     subtracts it, and drops a frame of which nothing is left
 * @param body known to the verb's handlers; of a {@link FrameKind#FAILURE} what {@link PeerFailure}
 *     encodes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
public record Frame(
    FrameKind kind,
    Verb verb,
    Peer from,
    String toId,
    long number,
    long timeoutNanos,
    byte[] body) {

  /** The part a message plays. Numbers are on the wire. */
  public enum FrameKind {
    /** Nobody waits for an answer. */
    ONE_WAY(1),
    REQUEST(2),
    REPLY(3),
    /** The answer that says why there is none. */
    FAILURE(4),
    /** The sender of the request with this number listens no more. */
    CANCEL(5);

    private static final FrameKind[] ALL = values();

    private final int number;

    FrameKind(int number) {
      this.number = number;
    }

    /** The number on the wire. */
    public int number() {
      return number;
    }

    /**
     * The kind with that number.
     *
     * @return null for a number of a newer version
     */
    public static @Nullable FrameKind of(int number) {
      return number < 1 || number > ALL.length ? null : ALL[number - 1];
    }
  }
}
