package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.Owners;
import dev.colonnade.server.cluster.ring.PlacementTable;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a range of rows where its owners change, now or after pending changes. Pure.
 *
 * @param placement of one topology
 */
record Subranges(PlacementTable placement) {

  /** The most ranges of the ring in one subrange, so that finding its end is quick. */
  private static final int RANGES_MAX = 1_024;

  /**
   * Rows with the same owners.
   *
   * @param end the first row after them; empty for the end of the ring
   * @param isLast whether they reach the end of what was asked for
   */
  record Subrange(RowKey start, Optional<RowKey> end, boolean isLast, Owners owners) {}

  /**
   * The subrange that begins at a row.
   *
   * @param limit the first row that is not wanted; empty for the end of the ring
   */
  Subrange from(RowKey start, Optional<RowKey> limit) {
    Owners owners = placement.owners(start.token());
    byte @Nullable [] last = placement.endOfSameOwners(start.token(), RANGES_MAX);
    // The range at the end of the ring continues at the lowest tokens, which come first or not at
    // all.
    RowKey end = last == null ? null : RowKey.firstOf(behind(last));
    return end == null || (limit.isPresent() && end.compareTo(limit.get()) >= 0)
        ? new Subrange(start, limit, true, owners)
        : new Subrange(start, Optional.of(end), false, owners);
  }

  /** The next token as bytes; there is none in between. */
  private static byte[] behind(byte[] token) {
    return Arrays.copyOf(token, token.length + 1);
  }
}
