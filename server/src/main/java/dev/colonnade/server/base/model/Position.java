package dev.colonnade.server.base.model;

import org.jspecify.annotations.Nullable;

/**
 * A place in a row's sequence: at a cell, or between cells. {@link PathOrder} compares positions.
 *
 * <p>Thread-safe, immutable.
 */
public interface Position {

  /**
   * Column name in a Standard family, super column name in a Super family. Empty at the two ends of
   * a row.
   */
  byte[] top();

  /**
   * Column name inside a super column; null in a Standard family, and for a place before or after a
   * whole super column.
   */
  byte @Nullable [] sub();

  /**
   * -1 just before the path, 0 at a cell, 1 just after the path; -2 before the whole row, 2 after
   * it.
   */
  int weight();
}
