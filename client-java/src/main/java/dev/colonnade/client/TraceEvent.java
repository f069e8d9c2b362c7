package dev.colonnade.client;

import java.time.Duration;
import java.util.Locale;

/**
 * Something that happened during a call whose trace is sampled. It holds no key, name or value.
 *
 * @param step what it is
 * @param at when, after the call's arrival at the coordinator. Clocks of nodes are not compared:
 *     what another node tells is placed as if its request and its answer took equally long
 * @param took how long it took, if it took time; it ended at {@code at}
 * @param node the id of the node where it happened
 * @param peer the id of the node that it is about; empty if it is about none
 * @param detail further words; may be empty
 */
public record TraceEvent(
    Step step, Duration at, Duration took, String node, String peer, String detail) {

  /** What an event of a trace is. */
  public enum Step {
    /** Of a newer node, which this client does not know. */
    UNKNOWN,
    /** The coordinator began with the call, which had waited for its turn. */
    BEGUN,
    /** It is decided how many replicas must answer. */
    PLANNED,
    /** The peer is sent its part of the call. */
    REPLICA_ASKED,
    /** The peer has not answered for longer than it usually takes. */
    REPLICA_LATE,
    /** The peer has answered; the duration is counted from its request. */
    REPLICA_ANSWERED,
    /** The peer has failed, or was given up; the duration is counted from its request. */
    REPLICA_FAILED,
    /** Replicas have different data. */
    DIGESTS_DIFFER,
    /** The peer is sent what it lacks. */
    READ_REPAIR,
    /** A hint is kept for the peer, which does not have the write. */
    HINT,
    /** The node's read has waited for a thread that may read the disk. */
    STORE_QUEUED,
    /** The node has read its memtables and data files. */
    STORE_READ,
    /** The write is in the node's commit log. */
    LOG_APPENDED,
    /** The commit log was synced to the disk. */
    LOG_SYNCED,
    /** The write is in the node's memtable. */
    MEMTABLE_APPLIED,
    /** The answer is encoded. */
    ENCODED,
    /** All rows of a bulk load are written at the node, and none of them is visible. */
    LOAD_WRITTEN,
    /** The rows of a bulk load are durable and visible at the node. */
    LOAD_COMMITTED;

    private static final String PREFIX = "TRACE_STEP_";

    private static Step of(dev.colonnade.v1.TraceStep step) {
      for (Step known : values()) {
        if (step.name().equals(PREFIX + known.name())) {
          return known;
        }
      }
      return UNKNOWN;
    }

    /** The step for people, as {@code replica asked}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  private static final long NANOS_PER_MICRO = 1_000;

  static TraceEvent of(dev.colonnade.v1.TraceEvent event) {
    return new TraceEvent(
        Step.of(event.getStep()),
        Duration.ofNanos(event.getMicros() * NANOS_PER_MICRO),
        Duration.ofNanos(event.getDurationMicros() * NANOS_PER_MICRO),
        event.getNode(),
        event.getPeer(),
        event.getDetail());
  }
}
