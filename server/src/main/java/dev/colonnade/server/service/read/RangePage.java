package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.service.consistency.CallCost;
import java.util.List;
import java.util.Optional;

/**
 * A part of a scan.
 *
 * @param rows in token order; if the page before ended inside a row, the first one repeats its key
 * @param next where to continue; empty when the scan is complete. A page may be empty and still
 *     have a next
 * @param rowContinues whether the next page continues inside the last row
 * @param topContinues whether it continues inside the last cell's super column
 */
public record RangePage(
    List<RowCells> rows,
    Optional<RangePosition> next,
    boolean rowContinues,
    boolean topContinues,
    CallCost cost) {}
