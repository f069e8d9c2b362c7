package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.sstable.ReadFigures;

/**
 * The response to a {@link dev.colonnade.server.base.model.ReadCommand}, from this node's store or
 * from another replica.
 *
 * @param result as the {@link ReadOutput} says
 * @param tombstones deletions and expired cells passed over
 * @param figures the cost of the read
 */
public record ReadResponse<T>(T result, long tombstones, ReadFigures figures) {}
