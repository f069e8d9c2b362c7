package dev.colonnade.server.model;

import java.io.IOException;

/**
 * Is told of work while it is done, also of work that brings nothing: lookups of names that are
 * absent, cells that a deletion hides. It can end the work by throwing. For one thread.
 */
@FunctionalInterface
public interface WorkMeter {

  /** Lets everything pass. */
  WorkMeter NONE = units -> {};

  /**
   * Some more was done.
   *
   * @param units about as many comparisons
   * @throws IOException if the work is not to go on here
   */
  void spend(int units) throws IOException;
}
