package dev.colonnade.server.base.model;

import java.util.Optional;

/**
 * Everything one replica knows of a slice of a row, deletions included, so that it can be merged
 * with another replica's answer. Excludes what is past gc grace, which replicas may have purged
 * already.
 *
 * <p>Of a slice with a least timestamp it has nothing that is older.
 *
 * <p>It depends on the row's content alone: replicas with the same content give the same fragment,
 * however their memtables and files lie.
 *
 * @param atoms cells that stand, with deleted and expired ones, these without their values; the
 *     row's deletion; range deletions, clipped to what is covered. If all ranges of the slice are
 *     single columns, each has its cell or the deletion over it, as a range deletion, or neither
 * @param end everything up to here in reading order is in {@code atoms}; empty when that is the
 *     whole slice
 */
public record RowFragment(RowUpdate atoms, Optional<Bound> end) {

  /** A complete fragment without content: the replica knows nothing of the slice. */
  public static final RowFragment NOTHING = new RowFragment(RowUpdate.NOTHING, Optional.empty());
}
