package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadFigures;
import java.util.List;
import java.util.Optional;

/**
 * The result of one turn of a scan.
 *
 * @param rows in token order
 * @param paused where to go on; empty when the range is complete
 * @param topContinues whether it goes on inside the last cell's super column
 * @param tombstones deletions and expired cells passed over in this turn
 */
public record RangeRows(
    List<RangeRow> rows,
    Optional<RangePause> paused,
    boolean topContinues,
    long tombstones,
    ReadFigures figures) {

  /** No rows, and a complete range. */
  public static final RangeRows NONE =
      new RangeRows(List.of(), Optional.empty(), false, 0, new ReadFigures());

  /** A listed row's live cells in reading order. */
  public record RangeRow(RowKey key, List<Cell> cells) {}

  /**
   * Where a scan paused.
   *
   * @param row the last row that was looked at
   * @param inside where in its slice; empty when the row is done
   */
  public record RangePause(RowKey row, Optional<SlicePosition> inside) {}
}
