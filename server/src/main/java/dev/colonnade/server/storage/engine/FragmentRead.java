package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.sstable.ReadFigures;

/**
 * A fragment as it was read.
 *
 * @param fragment a {@link dev.colonnade.server.base.model.RowFragment} or a {@link
 *     dev.colonnade.server.base.model.RangeFragment}
 * @param tombstones deletions and expired cells passed over
 * @param figures the cost of the read
 */
public record FragmentRead<T>(T fragment, long tombstones, ReadFigures figures) {}
