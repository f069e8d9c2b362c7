package dev.colonnade.server.base.model;

import java.io.IOException;

/**
 * Hears of work while it is done, also of fruitless work: lookups of absent names, cells that a
 * deletion hides. It can end the work by throwing. For one thread.
 */
@FunctionalInterface
public interface WorkMeter {

  /** Never ends the work. */
  WorkMeter NONE = units -> {};

  /**
   * Records more work.
   *
   * @param units about as many comparisons
   * @throws IOException if the work must not continue here
   */
  void spend(int units) throws IOException;
}
