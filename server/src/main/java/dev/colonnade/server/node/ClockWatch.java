package dev.colonnade.server.node;

import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log and in the node's health that its clock differs from those of the other nodes.
 * Checks belong to one thread.
 */
final class ClockWatch {

  private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);

  private static final double MICROS_PER_SECOND = 1e6;

  /** Below this share of the limit it is over, so that a clock at the limit is not told often. */
  private static final double OVER_SHARE = 0.9;

  private final Health health;
  private final LongSupplier aheadMicros;
  private volatile long limitMicros;
  private boolean differs;

  /**
   * Creates a watch that has seen no difference.
   *
   * @param aheadMicros how far this node's clock is ahead of the others; negative: behind
   */
  ClockWatch(Health health, LongSupplier aheadMicros, Duration limit) {
    this.health = health;
    this.aheadMicros = aheadMicros;
    limit(limit);
  }

  /** Changes the limit, from the next check on. From any thread. */
  void limit(Duration changed) {
    limitMicros = changed.toNanos() / 1_000;
  }

  /** Looks at the difference now. */
  void check() {
    long ahead = aheadMicros.getAsLong();
    long limit = limitMicros;
    if (!differs && Math.abs(ahead) > limit) {
      differs = true;
      String found =
          String.format(
              Locale.ROOT,
              "its clock is %.1f s %s those of the other nodes, more than %s allows (%d ms);"
                  + " synchronise it with NTP",
              Math.abs(ahead) / MICROS_PER_SECOND,
              ahead > 0 ? "ahead of" : "behind",
              ClusterSettings.CLOCK_OFFSET_LIMIT.name(),
              limit / 1_000);
      LOG.warn("This node: {}. Writes without a timestamp may lose to others in silence", found);
      health.raise(Condition.CLOCK, Impact.NOTICE, found);
    } else if (differs && Math.abs(ahead) <= limit * OVER_SHARE) {
      differs = false;
      LOG.info("The clock of this node agrees with those of the other nodes again");
      health.clear(Condition.CLOCK);
    }
  }
}
