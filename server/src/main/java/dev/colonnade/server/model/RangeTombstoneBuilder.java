package dev.colonnade.server.model;

/**
 * Turns the markers that a reader passes, in either direction, back into range deletions. For one
 * thread.
 */
public final class RangeTombstoneBuilder {

  private final boolean reversed;
  private Bound since;
  private DeletionTime deletion;

  /** Begins at a bound where a deletion is in force already, or none. */
  public RangeTombstoneBuilder(Bound from, DeletionTime open, boolean reversed) {
    this.since = from;
    this.deletion = open;
    this.reversed = reversed;
  }

  /** Goes past a marker. */
  public void pass(RangeTombstoneMarker marker, RowUpdate.Builder row) {
    end(marker.bound(), row);
    since = marker.bound();
    deletion = marker.opened(reversed);
  }

  /** Nothing is read beyond this bound. */
  public void end(Bound at, RowUpdate.Builder row) {
    row.deleteRange(reversed ? new PathRange(at, since) : new PathRange(since, at), deletion);
  }
}
