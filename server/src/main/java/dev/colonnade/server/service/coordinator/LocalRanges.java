package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.engine.RangeQuery;
import dev.colonnade.server.storage.engine.RangeRows;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.List;
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
    RangeQuery query =
        new RangeQuery(
            step.start(),
            step.end(),
            step.inside(),
            step.startListed(),
            read.slice(),
            step.rowLimit(),
            read.includeEmptyRows(),
            read.keysOnly(),
            bytes);
    FamilyId family = read.family().id();
    CompletableFuture<RangeRows> rows =
        inBackground
            ? engine.readRangeInBackground(family, query, nowSeconds)
            : engine.readRange(family, query, nowSeconds);
    return Futures.map(rows, this::part);
  }

  private ScanPart part(RangeRows found) {
    List<RangePage.RowCells> rows = new ArrayList<>(found.rows().size());
    for (RangeRows.RangeRow row : found.rows()) {
      rows.add(new RangePage.RowCells(row.key(), row.cells()));
    }
    return new ScanPart(
        rows,
        found.paused().map(pause -> new ScanPause(pause.row(), pause.inside())),
        found.topContinues(),
        null,
        CallCost.of(here, found.figures(), found.tombstones()));
  }
}
