package dev.colonnade.it;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what another process does. */
public final class Await {

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Await() {}

  /** Polls until {@code condition} holds; fails with {@code otherwise} when the limit passes. */
  public static void until(BooleanSupplier condition, Duration limit, Supplier<String> otherwise) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("not within " + limit + ": " + otherwise.get());
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
  }

  /** Lets real time pass, where time itself is what is tested. */
  public static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
