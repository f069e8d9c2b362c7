package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * The read that replicas answered, for one row.
 *
 * @param from where the page before ended
 * @param bytes about how many bytes of names and values the page may hold; one cell in any case
 * @param countOnly whether only the number of live cells is wanted
 * @param nowSeconds decides expiry; the same that the replicas were sent
 */
public record SliceMergeSpec(
    PathOrder order,
    Slice slice,
    Optional<SlicePosition> from,
    long bytes,
    boolean countOnly,
    long nowSeconds) {}
