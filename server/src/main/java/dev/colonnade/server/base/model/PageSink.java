package dev.colonnade.server.base.model;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where the cells of one page go. Each attempt to read the page has a sink of its own, so that one
 * that starts over leaves nothing behind. For one thread.
 */
@FunctionalInterface
public interface PageSink {

  /** Collects the cells as they are. */
  Supplier<PageSink> LISTS = () -> (key, from) -> new CellList();

  /**
   * Begins a row; the row before it gets no more cells.
   *
   * @param from where an earlier page ended inside the row
   */
  CellSink row(RowKey key, Optional<SlicePosition> from);
}
