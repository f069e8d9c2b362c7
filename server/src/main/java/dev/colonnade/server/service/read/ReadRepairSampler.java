package dev.colonnade.server.service.read;

import java.util.concurrent.atomic.AtomicLong;

/** Chooses reads at random for read repair, from a seed: SplitMix64 over a counter. Thread-safe. */
public final class ReadRepairSampler {

  private static final long STEP = 0x9e3779b97f4a7c15L;
  private static final double SCALE = 0x1.0p-53;

  private final AtomicLong state;

  public ReadRepairSampler(long seed) {
    this.state = new AtomicLong(seed);
  }

  /**
   * Whether this read is chosen.
   *
   * @param share of the reads that are chosen, 0 to 1
   */
  boolean happens(double share) {
    if (share <= 0) {
      return false;
    }
    if (share >= 1) {
      return true;
    }
    long z = state.addAndGet(STEP);
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    z ^= z >>> 31;
    return (z >>> 11) * SCALE < share;
  }
}
