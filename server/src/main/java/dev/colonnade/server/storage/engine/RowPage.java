package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.sstable.ReadFigures;
import java.util.List;
import java.util.Optional;

/**
 * The result of one turn of reading a slice.
 *
 * @param cells live ones in reading order; empty when only counting
 * @param counted live columns or super columns of all turns so far
 * @param next where to go on; empty when the slice is complete
 * @param topContinues whether {@code next} goes on inside the last cell's super column
 * @param tombstones deletions and expired cells passed over in this turn
 */
public record RowPage(
    List<Cell> cells,
    long counted,
    Optional<SlicePosition> next,
    boolean topContinues,
    long tombstones,
    ReadFigures figures) {}
