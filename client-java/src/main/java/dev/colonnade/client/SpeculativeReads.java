package dev.colonnade.client;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Decides which read that has no answer yet is made on a second node as well, and when.
 *
 * <ul>
 *   <li>Only reads: they change nothing, so the answer that comes first is as good as the other.
 *   <li>After the time within which the node answers nearly always ({@link Speculation}).
 *   <li>Only to a node that is sound, and that the ring does not report as down.
 *   <li>All reads share a budget: ten answers earn one more, so where every node is slow the
 *       cluster gets a tenth more reads and not twice as many.
 *   <li>A node that loses several times in a row, with no answer between, probably stands still: it
 *       is avoided for a while.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class SpeculativeReads {

  /** The most second reads in reserve: a busy client's reads of one node that stops. */
  static final int RESERVE = 500;

  private static final int READS_PER_EXTRA = 10;

  /** By chance one read of a hundred loses, and three in a row one time in a million. */
  static final int LOSSES_OF_A_NODE_THAT_STANDS_STILL = 3;

  /** The delay before anything is known of a node, if the bounds allow it. */
  private static final Duration UNKNOWN = Duration.ofMillis(100);

  private final NodePool pool;
  private final Replicas replicas;
  private final @Nullable Speculation settings;
  private final Budget budget = new Budget(RESERVE, READS_PER_EXTRA);

  private final LongAdder made = new LongAdder();
  private final LongAdder won = new LongAdder();
  private final LongAdder refused = new LongAdder();

  /**
   * No read has been made.
   *
   * @param settings none: reads wait for their first node
   */
  SpeculativeReads(NodePool pool, Replicas replicas, Optional<Speculation> settings) {
    this.pool = pool;
    this.replicas = replicas;
    this.settings = settings.orElse(null);
  }

  /** How long a call waits for this node before it goes to another one, too; 0 if it never does. */
  long delayNanos(Transport.Request<?, ?> request, NodeConnection node) {
    if (settings == null || !request.isRead() || !pool.hasChoice()) {
      return 0;
    }
    long usual = node.latencies().p99Nanos();
    return Math.min(
        settings.atMost().toNanos(),
        Math.max(settings.atLeast().toNanos(), usual == 0 ? UNKNOWN.toNanos() : usual));
  }

  /** The second node for a read; null if there is none, or too many reads had one recently. */
  @Nullable NodeConnection second(Transport.Request<?, ?> request, NodeConnection first) {
    NodeConnection second = pool.another(first, replicas.of(request.message()));
    if (second == null) {
      return null;
    }
    if (!budget.take()) {
      refused.increment();
      return null;
    }
    made.increment();
    return second;
  }

  /** A node has answered a call. */
  void answered(Transport.Request<?, ?> request, NodeConnection node, long tookNanos) {
    if (settings != null && request.isRead()) {
      node.latencies().record(tookNanos);
      budget.earn();
    }
  }

  /**
   * The second node has answered first.
   *
   * @param waitedNanos how long there was no answer from the first one. Counted as if it had come
   *     then, so that the delay grows with the times of a node that is slow for all reads
   */
  void lost(NodeConnection first, long waitedNanos) {
    first.latencies().record(waitedNanos);
    if (first.hasLost() >= LOSSES_OF_A_NODE_THAT_STANDS_STILL) {
      first.avoid(Retries.AVOIDED);
    }
    won.increment();
  }

  /** Second reads that were made, that answered first, and that the budget refused. */
  record Counts(long made, long won, long refused) {}

  Counts counts() {
    return new Counts(made.sum(), won.sum(), refused.sum());
  }
}
