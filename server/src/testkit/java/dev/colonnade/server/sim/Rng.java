package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The draws that scenarios need, from one source of randomness. */
public final class Rng {
  private final RandomSource random;

  public Rng(RandomSource random) {
    this.random = random;
  }

  /** True in {@code perMille} of a thousand cases. */
  public boolean chance(int perMille) {
    return random.nextInt(1_000) < perMille;
  }

  /** A number in [least, most]. */
  public int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /** A duration in whole milliseconds. */
  public Duration millis(int least, int most) {
    return Duration.ofMillis(between(least, most));
  }

  /** A duration in microseconds. */
  public Duration micros(int least, int most) {
    return Duration.ofNanos(1_000L * between(least, most));
  }

  /** One of them. */
  public <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** All of them, in another order. */
  public <T> List<T> shuffled(List<T> all) {
    List<T> shuffled = new ArrayList<>(all);
    for (int i = shuffled.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      T swapped = shuffled.get(i);
      shuffled.set(i, shuffled.get(other));
      shuffled.set(other, swapped);
    }
    return shuffled;
  }
}
