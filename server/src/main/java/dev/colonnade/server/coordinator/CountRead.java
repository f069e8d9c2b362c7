package dev.colonnade.server.coordinator;

import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.schema.ColumnFamily;

/**
 * A count of the live columns, or super columns, of a slice; the slice's limit bounds the count.
 */
public record CountRead(
    ColumnFamily family, RowKey key, Slice slice, Consistency consistency, long deadlineNanos) {}
