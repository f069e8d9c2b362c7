package dev.colonnade.server.base.env;

/**
 * Randomness of one component. Fork one source per component, so that a draw added in one place
 * does not shift the draws of another and a failure replays from its seed.
 *
 * <p>Not thread-safe: fork a source for each thread.
 */
public interface RandomSource {

  /** A uniformly distributed 64-bit number. */
  long nextLong();

  /** A uniformly distributed number in [0, bound). {@code bound} must be positive. */
  int nextInt(int bound);

  /** Fills {@code target} with random bytes. */
  void nextBytes(byte[] target);

  /**
   * An independent source, determined by this source's seed and {@code component} alone, not by
   * earlier draws.
   */
  RandomSource fork(String component);
}
