package dev.colonnade.client;

import java.util.function.BooleanSupplier;

/** Waits in tests, until something is so or the test's time is over. */
final class Await {

  private Await() {}

  /** Waits until a condition holds. Ends when a timeout interrupts the test. */
  static void until(BooleanSupplier holds) {
    while (!holds.getAsBoolean()) {
      if (Thread.interrupted()) {
        throw new AssertionError("the test's time is over");
      }
      Thread.onSpinWait();
    }
  }
}
