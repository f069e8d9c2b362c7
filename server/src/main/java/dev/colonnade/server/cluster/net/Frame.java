package dev.colonnade.server.cluster.net;

import org.jspecify.annotations.Nullable;

/**
 * One message between nodes. The body must not be changed.
 *
 * @param kind its role in a conversation
 * @param verb what is requested, also in answers
 * @param from the sender, to which answers go
 * @param toId the node it is meant for; empty for any node at that address. Another node drops it
 * @param number matches an answer with its request; chosen by the sender, 0 for {@link
 *     FrameKind#ONE_WAY}
 * @param timeoutNanos how long the requester still waits, in a request as in its answer; 0 for no
 *     limit. Durations are sent, since clocks differ. A transport that holds a frame for a while
 *     subtracts that time, and drops a frame with no time left
 * @param body in the format of the verb; for a {@link FrameKind#FAILURE} an encoded {@link
 *     PeerFailure}
 * @param trace of the call that it belongs to, in a request, and what was seen of that call, in its
 *     answer; empty for a call that is not traced. A node that does not know it drops it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
public record Frame(
    FrameKind kind,
    Verb verb,
    Peer from,
    String toId,
    long number,
    long timeoutNanos,
    byte[] body,
    byte[] trace) {

  /** Of a frame that belongs to no traced call. */
  public static final byte[] NO_TRACE = new byte[0];

  /** The longest trace of a frame: a longer one is dropped. */
  public static final int TRACE_BYTES_MAX = 16 << 10;

  /** A frame that belongs to no traced call. */
  public Frame(
      FrameKind kind,
      Verb verb,
      Peer from,
      String toId,
      long number,
      long timeoutNanos,
      byte[] body) {
    this(kind, verb, from, toId, number, timeoutNanos, body, NO_TRACE);
  }

  /** The role of a message. Numbers are on the wire. */
  public enum FrameKind {
    /** A message without an answer. */
    ONE_WAY(1),
    REQUEST(2),
    REPLY(3),
    /** An answer that says why the request failed. */
    FAILURE(4),
    /** Cancels the sender's request of this number. */
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
