package dev.colonnade.server.streaming;

import dev.colonnade.server.model.FamilyId;

/**
 * How far a stream is.
 *
 * @param id of the stream, the same on both sides
 * @param peerId the other node
 * @param outgoing whether this node sends
 * @param purpose why, in words
 * @param rows sent and answered, or received and written
 * @param bytes the same, as they travel
 * @param fileBytes of the sender's data files that the rows come from, most of which may lie
 *     outside of the ranges; 0 while not known
 */
public record StreamProgress(
    String id,
    String peerId,
    FamilyId family,
    boolean outgoing,
    String purpose,
    State state,
    long rows,
    long bytes,
    long fileBytes) {

  /** Where a stream stands. */
  public enum State {
    /** Asked for, or its data is being flushed. */
    WAITING,
    /** Rows are on their way. */
    RUNNING,
    /** All rows were sent; the receiver makes them durable. */
    CLOSING,
    /** All rows are durable and visible at the receiver. */
    DONE,
    /** Given up; nothing of it is at the receiver, unless only the last answer was lost. */
    FAILED
  }
}
