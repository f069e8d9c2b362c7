package dev.colonnade.server.coordinator;

import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.ring.Owners;
import dev.colonnade.server.ring.PlacementTable;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a range of rows where its owners change, now or when changes under way are done. Pure.
 *
 * @param placement of one topology
 */
record Subranges(PlacementTable placement) {

  /** A piece is cut off at so many ranges of the ring, so that looking for its end is short. */
  private static final int RANGES_MAX = 1_024;

  /**
   * Rows with the same owners.
   *
   * @param end the first row behind them; empty for the end of the ring
   * @param isLast whether they reach as far as was asked for
   */
  record Subrange(RowKey start, Optional<RowKey> end, boolean isLast, Owners owners) {}

  /**
   * The piece from a row on.
   *
   * @param limit the first row that is not wanted; empty for the end of the ring
   */
  Subrange from(RowKey start, Optional<RowKey> limit) {
    Owners owners = placement.owners(start.token());
    byte @Nullable [] last = placement.endOfSameOwners(start.token(), RANGES_MAX);
    // The end of the ring goes on at the lowest tokens, which come first or not at all.
    RowKey end = last == null ? null : RowKey.firstOf(behind(last));
    return end == null || (limit.isPresent() && end.compareTo(limit.get()) >= 0)
        ? new Subrange(start, limit, true, owners)
        : new Subrange(start, Optional.of(end), false, owners);
  }

  /** The next token as bytes: nothing lies between. */
  private static byte[] behind(byte[] token) {
    return Arrays.copyOf(token, token.length + 1);
  }
}
