package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.concurrent.CompletableFuture;

/** Reads a scan's rows from this node's own store. */
final class LocalRanges implements RangeSource {

  private final StorageEngine engine;
  private final RangeRead read;
  private final AskedReplicas here;
  private final long nowSeconds;

  /** Whether a step was taken. Steps run one at a time, on changing threads. */
  private volatile boolean begun;

  LocalRanges(StorageEngine engine, RangeRead read, AskedReplicas here, long nowSeconds) {
    this.engine = engine;
    this.read = read;
    this.here = here;
    this.nowSeconds = nowSeconds;
  }

  @Override
  public CompletableFuture<ScanPart> read(ScanStep step) {
    boolean goesOn = begun;
    begun = true;
    // A run of tombstones, or of rows without a match, is crossed off the caller's thread.
    return read(step, read.pageBytes(), goesOn);
  }

  /**
   * Reads with another size limit.
   *
   * @param bytes about how much to read at most
   * @param inBackground off the caller's thread
   */
  CompletableFuture<ScanPart> read(ScanStep step, int bytes, boolean inBackground) {
    RangeCommand query =
        new RangeCommand(
            step.start(),
            step.end(),
            step.inside(),
            step.startListed(),
            read.slice(),
            step.rowLimit(),
            read.includeEmptyRows(),
            read.keysOnly(),
            bytes,
            nowSeconds);
    return Futures.map(
        engine.read(
            read.family().id(),
            query,
            ReadOutput.RANGE_PAGE,
            inBackground ? ReadMode.OFFLOADED : ReadMode.INLINE),
        this::part);
  }

  private ScanPart part(ReadResponse<RangeRows> found) {
    RangeRows page = found.result();
    return new ScanPart(
        page.rows(),
        page.paused(),
        page.topContinues(),
        null,
        CallCost.of(here, found.figures(), found.tombstones()));
  }
}
