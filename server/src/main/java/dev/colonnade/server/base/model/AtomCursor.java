package dev.colonnade.server.base.model;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The atoms of one row between two bounds, from one source or merged from several, in one
 * direction. Reads lazily: only what is requested is read.
 *
 * <p>Cells come in strict order of their paths, each path once. Every change of the deletion in
 * force comes as a {@link RangeTombstoneMarker}; a deletion that is in force where the cursor
 * starts is {@link #open} and has no marker there. A deletion that reaches past the cursor's end
 * gets no closing marker. One thread at a time.
 */
public interface AtomCursor {

  /**
   * The deletion of the whole row in this source; {@link DeletionTime#NONE} if it was not deleted.
   */
  DeletionTime rowDeletion();

  /** The range deletion in force at the bound where this cursor started. */
  DeletionTime open();

  /**
   * The next atom, or null at the end.
   *
   * @throws IOException if the source is a file and cannot be read, or is damaged
   */
  @Nullable Atom next() throws IOException;

  /**
   * All that is still to come, if it is live cells of a Standard family and nothing else, and the
   * source can tell without reading on. The cursor stays where it is; a reader that takes these
   * cells asks for no further atom.
   *
   * @param atMost how many cells are wanted
   * @return null if it is more or something else, or if the source does not know
   */
  default @Nullable PlainCells plain(long atMost) throws IOException {
    return null;
  }
}
