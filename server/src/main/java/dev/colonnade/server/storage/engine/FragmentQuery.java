package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * Asks for a {@link dev.colonnade.server.base.model.RowFragment}.
 *
 * @param from where an earlier part ended
 * @param bytes about how many bytes of names, values and deletions the fragment may take; it holds
 *     at least one cell or deletion
 * @param nowSeconds the coordinator's time, against which expiry and gc grace are judged
 */
public record FragmentQuery(
    RowKey key, Slice slice, Optional<SlicePosition> from, long bytes, long nowSeconds) {}
