package dev.colonnade.server.base.model;

/**
 * Converts the markers that a reader passes, in either direction, back to range deletions. For one
 * thread.
 */
public final class RangeTombstoneBuilder {

  private final boolean reversed;
  private Bound since;
  private DeletionTime deletion;

  /** Begins at a bound with the deletion that is in force there, or none. */
  public RangeTombstoneBuilder(Bound from, DeletionTime open, boolean reversed) {
    this.since = from;
    this.deletion = open;
    this.reversed = reversed;
  }

  /** Passes a marker. */
  public void pass(RangeTombstoneMarker marker, RowUpdate.Builder row) {
    end(marker.bound(), row);
    since = marker.bound();
    deletion = marker.opened(reversed);
  }

  /** Ends at this bound, beyond which nothing is read. */
  public void end(Bound at, RowUpdate.Builder row) {
    row.deleteRange(reversed ? new PathRange(at, since) : new PathRange(since, at), deletion);
  }
}
