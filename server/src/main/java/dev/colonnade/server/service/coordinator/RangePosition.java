package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.Optional;

/**
 * The position of a scan.
 *
 * @param range which of the scan's ranges it is in, from 0
 * @param row the last row that was read
 * @param inside the position in that row's slice; empty when the row is done
 * @param rowsListed rows delivered so far, {@code row} included if it was delivered in part or
 *     whole
 */
public record RangePosition(
    int range, RowKey row, Optional<SlicePosition> inside, long rowsListed) {}
