package dev.colonnade.client;

import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.WriteOptions;
import java.time.Duration;

/**
 * How calls are made.
 *
 * @param deadline how long a call may take, all pages of its answer together; more than zero. A
 *     {@link Cursor} has it for each part of its answer, because it lives as long as its reader
 *     likes
 * @param readConsistency how many replicas a read waits for; at least one
 * @param writeConsistency how many replicas a write waits for
 */
public record CallOptions(
    Duration deadline, Consistency readConsistency, Consistency writeConsistency) {

  private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(10);

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if the deadline is not positive, or reads would wait for no
   *     replica
   */
  public CallOptions {
    if (deadline.isZero() || deadline.isNegative()) {
      throw new IllegalArgumentException("a deadline is more than zero; got " + deadline);
    }
    if (readConsistency == Consistency.ZERO || readConsistency == Consistency.ANY) {
      throw new IllegalArgumentException(
          readConsistency + " is for writes only: a read needs a replica to read from");
    }
  }

  /** Ten seconds, one replica. */
  public static CallOptions defaults() {
    return new CallOptions(DEFAULT_DEADLINE, Consistency.ONE, Consistency.ONE);
  }

  /** The same with another deadline. */
  public CallOptions withDeadline(Duration other) {
    return new CallOptions(other, readConsistency, writeConsistency);
  }

  /** The same with another consistency of reads. */
  public CallOptions withReadConsistency(Consistency other) {
    return new CallOptions(deadline, other, writeConsistency);
  }

  /** The same with another consistency of writes. */
  public CallOptions withWriteConsistency(Consistency other) {
    return new CallOptions(deadline, readConsistency, other);
  }

  ReadOptions read() {
    return ReadOptions.newBuilder().setConsistencyLevel(readConsistency.level()).build();
  }

  WriteOptions write() {
    return WriteOptions.newBuilder().setConsistencyLevel(writeConsistency.level()).build();
  }
}
