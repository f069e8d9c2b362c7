package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * One turn of a scan over rows in token order.
 *
 * @param start the first row that may be listed
 * @param end the first row that may not; empty for the end of the ring
 * @param inside set when an earlier turn paused inside the row {@code start}
 * @param startListed whether that earlier turn delivered a part of {@code start} already, and
 *     counted it
 * @param rowLimit how many rows this turn may still list; continuing a row that was counted costs
 *     nothing
 * @param includeEmptyRows list rows without a live match too
 * @param keysOnly list keys without cells
 * @param bytes about how many bytes to deliver at most
 */
public record RangeQuery(
    RowKey start,
    Optional<RowKey> end,
    Optional<SlicePosition> inside,
    boolean startListed,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    long bytes) {}
