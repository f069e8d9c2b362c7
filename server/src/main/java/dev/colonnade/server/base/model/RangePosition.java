package dev.colonnade.server.base.model;

import java.util.Optional;

/**
 * The position from which a read of rows in token order continues: that of a slice, and the row it
 * is in.
 *
 * @param row the last row that was read
 * @param inside the position in its slice; empty when the row is done
 * @param rowsListed rows listed so far, that row included if it was listed in part or whole
 */
public record RangePosition(RowKey row, Optional<SlicePosition> inside, long rowsListed) {}
