package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.List;
import java.util.Optional;

/**
 * One page of a row, resolved from all answers.
 *
 * @param merged the resolved data, up to the nearest end of the answers
 * @param cells live cells in reading order; empty when only counting
 * @param counted live columns or super columns of all pages so far
 * @param next where to continue; empty when the slice is complete. A page may be empty and have a
 *     next
 * @param topContinues whether {@code next} continues inside the last cell's super column
 * @param corrections what each replica lacks, in the order of the answers; empty updates for those
 *     that lack nothing
 */
public record ResolvedRow(
    RowFragment merged,
    List<Cell> cells,
    long counted,
    Optional<SlicePosition> next,
    boolean topContinues,
    List<RowUpdate> corrections) {}
