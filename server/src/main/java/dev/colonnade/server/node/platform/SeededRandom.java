package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.RandomSource;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.SplittableRandom;

/**
 * Random numbers from a seed. The same seed always gives the same numbers, so that a failure can be
 * replayed; in production the seed itself comes from the system's entropy. Not for secrets.
 */
public final class SeededRandom implements RandomSource {
  private static final long FNV_BASIS = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final long seed;
  private final SplittableRandom numbers;

  /** A source determined by {@code seed}. */
  public SeededRandom(long seed) {
    this.seed = seed;
    this.numbers = new SplittableRandom(seed);
  }

  /** A source that cannot be repeated. */
  public static SeededRandom fromSystemEntropy() {
    return new SeededRandom(new SecureRandom().nextLong());
  }

  @Override
  public long nextLong() {
    return numbers.nextLong();
  }

  @Override
  public int nextInt(int bound) {
    return numbers.nextInt(bound);
  }

  @Override
  public void nextBytes(byte[] target) {
    numbers.nextBytes(target);
  }

  @Override
  public RandomSource fork(String component) {
    long hash = FNV_BASIS;
    for (byte b : component.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    // One number from a generator seeded with both spreads small differences over all bits.
    return new SeededRandom(
        new SplittableRandom(seed + Long.rotateLeft(hash, 32)).nextLong() ^ hash);
  }

  @Override
  public String toString() {
    return "seed " + seed;
  }
}
