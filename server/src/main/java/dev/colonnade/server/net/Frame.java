package dev.colonnade.server.net;

/**
 * One message on its way. Whoever holds it must not change the body.
 *
 * @param kind what it is in a conversation
 * @param verb what is asked, also in answers
 * @param from who sent it, and where answers go
 * @param toId the node it is meant for; empty for whoever listens there. Another node drops it
 * @param number joins a request with its answer; the sender's own, 0 for {@link Kind#ONE_WAY}
 * @param timeoutNanos of a request: after so long the sender listens no more; 0 for no limit.
 *     Durations travel, since clocks differ
 * @param body known to the verb's handlers; of a {@link Kind#FAILURE} what {@link PeerFailure}
 *     encodes
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
public record Frame(
    Kind kind, Verb verb, Peer from, String toId, long number, long timeoutNanos, byte[] body) {

  /** The part a message plays. */
  public enum Kind {
    /** Nobody waits for an answer. */
    ONE_WAY,
    REQUEST,
    REPLY,
    /** The answer that says why there is none. */
    FAILURE,
    /** The sender of the request with this number listens no more. */
    CANCEL
  }
}
