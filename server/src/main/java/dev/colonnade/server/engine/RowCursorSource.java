package dev.colonnade.server.engine;

import dev.colonnade.server.model.AtomCursor;
import dev.colonnade.server.model.PathRange;
import java.io.IOException;

/** Opens cursors over one row, merged from all its sources; a row that does not exist is empty. */
interface RowCursorSource {

  /** A cursor over a range of the row. */
  AtomCursor open(PathRange range, boolean reversed) throws IOException;
}
