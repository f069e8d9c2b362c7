package dev.colonnade.server.model;

import java.util.Optional;

/**
 * What one replica knows of a slice of a row, deletions included: what another replica's answer can
 * be merged with. Less what is past gc grace, which replicas may have forgotten already.
 *
 * <p>A function of the row's content alone: replicas that hold the same give the same fragment,
 * however their memtables and files lie.
 *
 * @param atoms cells that stand, with deleted and expired ones, these without their values; the
 *     row's deletion; range deletions, clipped to what is covered. Where all ranges of the slice
 *     are single columns, each has either its cell or the deletion over it, as a range deletion
 * @param end everything up to here in reading order is in {@code atoms}; empty when that is the
 *     whole slice
 */
public record RowFragment(RowUpdate atoms, Optional<Bound> end) {

  /** Nothing is known of the whole slice. */
  public static final RowFragment NOTHING = new RowFragment(RowUpdate.NOTHING, Optional.empty());
}
