package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A cursor over one column whose first atom has been peeked at. For one thread. */
final class PeekingCursor implements AtomCursor {

  private final AtomCursor cursor;
  private final @Nullable Atom first;
  private boolean passedFirst;

  PeekingCursor(AtomCursor cursor) throws IOException {
    this.cursor = cursor;
    this.first = cursor.next();
  }

  /**
   * The newest timestamp of what is known here of the column: its version, or a deletion over it.
   */
  long newestTimestamp() {
    long newest = Math.max(cursor.rowDeletion().timestamp(), cursor.open().timestamp());
    return first instanceof Cell cell ? Math.max(newest, cell.timestamp()) : newest;
  }

  @Override
  public DeletionTime rowDeletion() {
    return cursor.rowDeletion();
  }

  @Override
  public DeletionTime open() {
    return cursor.open();
  }

  @Override
  public @Nullable Atom next() throws IOException {
    if (passedFirst) {
      return cursor.next();
    }
    passedFirst = true;
    return first;
  }
}
