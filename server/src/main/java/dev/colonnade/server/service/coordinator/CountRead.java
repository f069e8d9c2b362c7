package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;

/**
 * A count of the live columns, or super columns, of a slice; the slice's limit bounds the count.
 */
public record CountRead(
    ColumnFamily family, RowKey key, Slice slice, Consistency consistency, long deadlineNanos) {}
