package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.cache.CacheFigures;
import dev.colonnade.server.storage.commitlog.LogFigures;

/**
 * Figures that all families of a store share.
 *
 * @param blockCache blocks on the heap
 * @param offHeapBlocks frames of blocks outside of the heap
 * @param queuedBytes mutations waiting for the log
 * @param refusedWrites mutations that found no room in that queue
 * @param scrub in the background
 */
public record EngineFigures(
    LogFigures log,
    CacheFigures blockCache,
    CacheFigures offHeapBlocks,
    long queuedBytes,
    long refusedWrites,
    ScrubFigures scrub) {

  static EngineFigures of(StoreParts parts, WritePipeline pipeline, BackgroundScrub scrub) {
    return new EngineFigures(
        parts.log().figures(),
        parts.resources().blocks().figures(),
        parts.resources().blocks().frames().figures(),
        pipeline.queuedBytes(),
        pipeline.refusedWrites(),
        scrub.figures());
  }
}
