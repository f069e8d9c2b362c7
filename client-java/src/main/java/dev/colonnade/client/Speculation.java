package dev.colonnade.client;

import java.time.Duration;

/**
 * When a read that has no answer yet is made on a second node as well: after the time that 99 of
 * 100 recent reads of the node took, within bounds. Before enough reads have been answered, 100 ms
 * count as that time.
 *
 * @param atLeast the shortest delay; below it the second read would mostly come for nothing
 * @param atMost the longest delay, at which a node that is slow for all its reads is left behind
 */
public record Speculation(Duration atLeast, Duration atMost) {

  private static final Speculation DEFAULTS =
      new Speculation(Duration.ofMillis(10), Duration.ofSeconds(1));

  /**
   * Checks the bounds.
   *
   * @throws IllegalArgumentException if the first is not more than zero, or greater than the second
   */
  public Speculation {
    if (atLeast.isZero() || atLeast.isNegative() || atLeast.compareTo(atMost) > 0) {
      throw new IllegalArgumentException(
          "the delay of a second read is more than zero, and at least no more than at most; got "
              + atLeast
              + " and "
              + atMost);
    }
  }

  /** Between 10 ms and 1 s. */
  public static Speculation defaults() {
    return DEFAULTS;
  }

  /** Always after the same delay. */
  public static Speculation after(Duration delay) {
    return new Speculation(delay, delay);
  }
}
