package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.Optional;

/**
 * One page of one row's slice.
 *
 * @param from where an earlier page ended; empty for the first
 * @param pageBytes about how many bytes of names and values the page may hold, at least 1; a page
 *     holds at least one cell, whatever its size
 * @param deadlineNanos of the monotonic clock; {@link Long#MAX_VALUE} for none
 */
public record SliceRead(
    ColumnFamily family,
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    int pageBytes,
    Consistency consistency,
    long deadlineNanos) {}
