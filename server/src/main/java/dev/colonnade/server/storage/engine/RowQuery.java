package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * One turn of reading a slice of one row.
 *
 * @param from where an earlier turn paused
 * @param bytes about how many bytes of names and values to deliver at most; at least one cell is
 *     delivered
 * @param countOnly deliver no cells
 * @param nowSeconds judges expiry
 */
public record RowQuery(
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    long bytes,
    boolean countOnly,
    long nowSeconds) {}
