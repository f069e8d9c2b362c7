package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * The read that replicas answered, for rows in token order.
 *
 * @param start the first row of the page
 * @param inside set if the page before ended inside the row {@code start}
 * @param startListed whether that page showed a part of it, so that it does not count again
 * @param rowLimit how many rows may still be listed
 * @param includeEmptyRows also list rows without a live match
 * @param keysOnly list keys without cells
 * @param bytes about how many bytes the page may hold; one cell in any case
 * @param nowSeconds decides expiry; the same that the replicas were sent
 */
public record RangeMergeSpec(
    PathOrder order,
    RowKey start,
    Optional<SlicePosition> inside,
    boolean startListed,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    long bytes,
    long nowSeconds) {}
