package dev.colonnade.server.coordinator;

import dev.colonnade.server.sstable.ReadFigures;

/** Takes the store's figures over. */
final class ReadCosts {

  private ReadCosts() {}

  static ReadCost of(ReadFigures figures, long tombstones) {
    return new ReadCost(
        (int) figures.sstablesTouched(),
        (int) figures.bloomRejections(),
        (int) figures.blocksRead(),
        (int) figures.blockCacheHits(),
        tombstones);
  }
}
