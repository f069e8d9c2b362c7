package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.List;
import java.util.Optional;

/**
 * One page of a scan, resolved from all answers.
 *
 * @param rows listed rows in token order
 * @param paused where to continue; empty when the range of rows is complete or its limit reached
 * @param topContinues whether it continues inside the last cell's super column
 * @param corrections what each replica lacks, row by row, in the order of the answers; empty lists
 *     for those that lack nothing
 */
public record ResolvedRange(
    List<ResolvedRangeRow> rows,
    Optional<ResolvedPause> paused,
    boolean topContinues,
    List<List<Correction>> corrections) {

  /** A listed row's live cells in reading order. */
  public record ResolvedRangeRow(RowKey key, List<Cell> cells) {}

  /**
   * The position at which the page paused.
   *
   * @param row the last row that was read
   * @param inside the position in its slice; empty when the row is done
   */
  public record ResolvedPause(RowKey row, Optional<SlicePosition> inside) {}

  /** What a replica lacks of one row; never empty. */
  public record Correction(RowKey key, RowUpdate update) {}
}
