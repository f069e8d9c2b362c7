package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.model.FamilyId;

/**
 * The progress of a stream.
 *
 * @param id of the stream, the same on both sides
 * @param peerId the other node
 * @param outgoing whether this node sends
 * @param purpose why, in words
 * @param rows sent and answered, or received and written
 * @param bytes the same, in encoded form
 * @param fileBytes of the sender's data files that the rows come from; most of them may lie outside
 *     of the ranges; 0 while not known
 */
public record StreamProgress(
    String id,
    String peerId,
    FamilyId family,
    boolean outgoing,
    String purpose,
    StreamState state,
    long rows,
    long bytes,
    long fileBytes) {

  /** The state of a stream. */
  public enum StreamState {
    /** Requested, or its data is being flushed. */
    WAITING,
    /** Rows are being sent. */
    RUNNING,
    /** All rows were sent; the receiver makes them durable. */
    CLOSING,
    /** All rows are durable and visible at the receiver. */
    DONE,
    /** Failed; the receiver has none of the rows, unless only the last answer was lost. */
    FAILED
  }
}
