package dev.colonnade.server.engine;

import dev.colonnade.server.model.Atom;
import dev.colonnade.server.model.Bound;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.Marker;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowUpdate;

/** Turns the markers of a whole row, read forwards, back into range deletions. For one thread. */
final class OpenRange {

  private Bound start = Bound.START;
  private DeletionTime deletion;

  OpenRange(DeletionTime openAtStart) {
    this.deletion = openAtStart;
  }

  /** Goes past a marker. */
  void pass(Atom atom, RowUpdate.Builder row) {
    if (!(atom instanceof Marker marker)) {
      throw new IllegalArgumentException("not a marker: " + atom);
    }
    end(marker.bound(), row);
    start = marker.bound();
    deletion = marker.after();
  }

  /** The row is at its end. */
  void close(RowUpdate.Builder row) {
    end(Bound.END, row);
  }

  private void end(Bound end, RowUpdate.Builder row) {
    row.deleteRange(new PathRange(start, end), deletion);
  }
}
