package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects the statistics of a data file. */
final class StatsCollector {
  private long rows;
  private long cells;
  private long tombstones;
  private long minTimestamp = Long.MAX_VALUE;
  private long maxTimestamp = Long.MIN_VALUE;
  private long minDropSeconds = Long.MAX_VALUE;
  private final TombstoneHistogram.HistogramBuilder dropTimes =
      new TombstoneHistogram.HistogramBuilder();
  private @Nullable RowKey firstKey;
  private @Nullable RowKey lastKey;

  void row(RowKey key, DeletionTime rowDeletion, DeletionTime open) {
    rows++;
    if (firstKey == null) {
      firstKey = key;
    }
    lastKey = key;
    tombstone(rowDeletion);
    tombstone(open);
  }

  void atom(Atom atom) {
    if (atom instanceof RangeTombstoneMarker marker) {
      // Each deletion is opened by one marker and closed by another: count it where it opens.
      tombstone(marker.after());
      return;
    }
    Cell cell = (Cell) atom;
    switch (cell.kind()) {
      case LIVE -> liveCell(cell.timestamp());
      case EXPIRING -> {
        cells++;
        tombstones += cell.hasValue() ? 0 : 1;
        timestamp(cell.timestamp());
        dropTime(cell.localSeconds());
      }
      case DELETED -> {
        cells++;
        tombstone(cell.asDeletion());
      }
    }
  }

  void liveCell(long timestamp) {
    cells++;
    timestamp(timestamp);
  }

  long rows() {
    return rows;
  }

  long cells() {
    return cells;
  }

  SSTableStats toStats(long uncompressedBytes, long dataBytes) {
    return new SSTableStats(
        rows,
        cells,
        tombstones,
        minTimestamp,
        maxTimestamp,
        minDropSeconds,
        dropTimes.toDropTimes(),
        Objects.requireNonNull(firstKey),
        Objects.requireNonNull(lastKey),
        uncompressedBytes,
        dataBytes);
  }

  private void tombstone(DeletionTime deletion) {
    if (!deletion.isNone()) {
      tombstones++;
      timestamp(deletion.timestamp());
      dropTime(deletion.deletedAtSeconds());
    }
  }

  private void timestamp(long timestamp) {
    minTimestamp = Math.min(minTimestamp, timestamp);
    maxTimestamp = Math.max(maxTimestamp, timestamp);
  }

  private void dropTime(long seconds) {
    minDropSeconds = Math.min(minDropSeconds, seconds);
    dropTimes.add(seconds);
  }
}
