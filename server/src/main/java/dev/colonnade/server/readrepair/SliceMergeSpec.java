package dev.colonnade.server.readrepair;

import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.model.SlicePosition;
import java.util.Optional;

/**
 * What replicas were asked about one row.
 *
 * @param from where the page before ended
 * @param bytes about how many bytes of names and values the page may hold; one cell in any case
 * @param countOnly the cells themselves are not wanted, only how many are live
 * @param nowSeconds judges expiry; the same that the replicas were told
 */
public record SliceMergeSpec(
    PathOrder order,
    Slice slice,
    Optional<SlicePosition> from,
    long bytes,
    boolean countOnly,
    long nowSeconds) {}
