package dev.colonnade.server.sim;

import java.time.Duration;

/**
 * What a link between two nodes does to messages, in one direction. Chances are in thousandths.
 *
 * @param delay what each message takes at least
 * @param jitter what it may take beyond that, evenly spread
 * @param bytesPerSecond how fast the bytes of a channel class follow one another
 * @param loss how many are lost
 * @param duplication how many come a second time, later
 * @param reordering how many may overtake others of their channel class or be overtaken
 * @param tail how many take {@code tailDelay} longer
 */
public record LinkFaults(
    Duration delay,
    Duration jitter,
    long bytesPerSecond,
    int loss,
    int duplication,
    int reordering,
    int tail,
    Duration tailDelay) {

  /** A quiet network in one room. */
  public static final LinkFaults FAIR =
      new LinkFaults(
          Duration.ofNanos(100_000),
          Duration.ofNanos(200_000),
          100 << 20,
          0,
          0,
          0,
          0,
          Duration.ZERO);

  /** Checks the ranges. */
  public LinkFaults {
    if (delay.isNegative()
        || jitter.isNegative()
        || tailDelay.isNegative()
        || bytesPerSecond <= 0
        || !isChance(loss)
        || !isChance(duplication)
        || !isChance(reordering)
        || !isChance(tail)) {
      throw new IllegalArgumentException("no such link faults");
    }
  }

  private static boolean isChance(int perMille) {
    return perMille >= 0 && perMille <= 1_000;
  }

  /** The same with another delay. */
  public LinkFaults withDelay(Duration least, Duration spread) {
    return new LinkFaults(
        least, spread, bytesPerSecond, loss, duplication, reordering, tail, tailDelay);
  }

  /** The same with another loss, in messages of a thousand. */
  public LinkFaults withLoss(int perMille) {
    return new LinkFaults(
        delay, jitter, bytesPerSecond, perMille, duplication, reordering, tail, tailDelay);
  }

  /** The same with other duplication, in messages of a thousand. */
  public LinkFaults withDuplication(int perMille) {
    return new LinkFaults(
        delay, jitter, bytesPerSecond, loss, perMille, reordering, tail, tailDelay);
  }

  /** The same with other reordering, in messages of a thousand. */
  public LinkFaults withReordering(int perMille) {
    return new LinkFaults(
        delay, jitter, bytesPerSecond, loss, duplication, perMille, tail, tailDelay);
  }

  /** The same with other delays: how many of a thousand messages, and how long. */
  public LinkFaults withTail(int perMille, Duration longer) {
    return new LinkFaults(
        delay, jitter, bytesPerSecond, loss, duplication, reordering, perMille, longer);
  }
}
