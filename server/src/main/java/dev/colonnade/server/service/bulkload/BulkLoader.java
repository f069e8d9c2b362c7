package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.service.consistency.CoordinationException;

/** Admits loads. Thread-safe. */
public interface BulkLoader {

  /**
   * Begins a load. It must be committed or cancelled.
   *
   * @throws BulkLoadException if the node is no replica of its ranges, or the family has changed
   * @throws CoordinationException if too many loads are open, or the node is not ready
   */
  BulkLoad open(LoadTarget target);
}
