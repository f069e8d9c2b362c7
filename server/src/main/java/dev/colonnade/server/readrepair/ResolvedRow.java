package dev.colonnade.server.readrepair;

import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.RowFragment;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.SlicePosition;
import java.util.List;
import java.util.Optional;

/**
 * One page of a row as all answers together have it.
 *
 * @param merged what all know together, up to the nearest end of the answers
 * @param cells live ones in reading order; empty when only counting
 * @param counted live columns or super columns of all pages so far
 * @param next where to go on; empty when the slice is complete. A page may be empty and have a next
 * @param topContinues whether {@code next} goes on inside the last cell's super column
 * @param corrections for each answer, in the order of the answers, what its replica lacks; empty
 *     updates for those that lack nothing
 */
public record ResolvedRow(
    RowFragment merged,
    List<Cell> cells,
    long counted,
    Optional<SlicePosition> next,
    boolean topContinues,
    List<RowUpdate> corrections) {}
