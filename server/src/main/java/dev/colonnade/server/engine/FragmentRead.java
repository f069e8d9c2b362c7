package dev.colonnade.server.engine;

import dev.colonnade.server.sstable.ReadFigures;

/**
 * A fragment as it was read.
 *
 * @param fragment a {@link dev.colonnade.server.model.RowFragment} or a {@link
 *     dev.colonnade.server.model.RangeFragment}
 * @param tombstones deletions and expired cells passed over
 * @param figures the cost of the read
 */
public record FragmentRead<T>(T fragment, long tombstones, ReadFigures figures) {}
