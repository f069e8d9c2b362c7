package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.PathRange;
import java.io.IOException;

/** Opens cursors over one row, merged from all its sources; a row that does not exist is empty. */
interface RowCursorSource {

  /** A cursor over a range of the row. */
  AtomCursor open(PathRange range, boolean reversed) throws IOException;
}
