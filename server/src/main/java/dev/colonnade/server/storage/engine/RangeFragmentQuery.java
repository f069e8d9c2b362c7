package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * Asks for a {@link dev.colonnade.server.base.model.RangeFragment}.
 *
 * @param start the first row that may be in it
 * @param end the first row that may not; empty for the end of the ring
 * @param inside set when an earlier part ended inside the row {@code start}
 * @param startListed whether the row {@code start} was listed already and does not count again
 * @param rowLimit the most rows wanted that have a live cell (or rows at all, with {@code
 *     includeEmptyRows})
 * @param includeEmptyRows also name rows that exist but have nothing in the slice
 * @param keysOnly one live cell of each row is enough
 * @param bytes about how many bytes the fragment may take; it holds at least a part of one row
 * @param nowSeconds the coordinator's time, against which expiry and gc grace are judged
 */
public record RangeFragmentQuery(
    RowKey start,
    Optional<RowKey> end,
    Optional<SlicePosition> inside,
    boolean startListed,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    long bytes,
    long nowSeconds) {}
