package dev.colonnade.server.service.search;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.PathRange;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where things lie in a user's row of an index. A super column has a name of two parts, its kind
 * and what it is about, and a column for each document, named by the document's id:
 *
 * <ul>
 *   <li>{@code t:TERM}, the documents with a term: {@link Posting}
 *   <li>{@code p:PARTICIPANT}, the documents exchanged with somebody: {@link Posting} without
 *       positions
 *   <li>{@code v:}, all documents: the version that stands, and the payload ({@link VersionEntry})
 *   <li>{@code d:}, all documents: the names of the super columns above that the document is in
 *       ({@link EntryList})
 * </ul>
 *
 * <p>All cells of one version of a document have one timestamp, and their values begin with one
 * fingerprint: together they are its {@link DocumentVersion}.
 */
final class IndexLayout {

  private static final byte[] TERM = {'t', ':'};
  private static final byte[] PARTICIPANT = {'p', ':'};
  private static final byte[] VERSIONS = {'v', ':'};
  private static final byte[] ENTRIES = {'d', ':'};

  private IndexLayout() {}

  /** The super column of a term. */
  static byte[] term(byte[] term) {
    return joined(TERM, term);
  }

  /** The super column of a participant. */
  static byte[] participant(byte[] participant) {
    return joined(PARTICIPANT, participant);
  }

  /** The super column of the versions. Not to be changed. */
  static byte[] versions() {
    return VERSIONS;
  }

  /** The super column of the lists of entries. Not to be changed. */
  static byte[] entries() {
    return ENTRIES;
  }

  /** The columns of a super column that are older than a document; all of them without one. */
  static PathRange olderThan(byte[] top, byte @Nullable [] id) {
    return new PathRange(Bound.before(top), id == null ? Bound.after(top) : Bound.before(top, id));
  }

  /**
   * The super columns of terms that begin with a prefix.
   *
   * @param after a super column to begin behind
   */
  static PathRange terms(byte[] prefix, byte @Nullable [] after) {
    byte[] first = term(prefix);
    return new PathRange(
        after == null ? Bound.before(first) : Bound.after(after), Bound.before(behind(first)));
  }

  /** The smallest name that is greater than all names with this beginning. */
  private static byte[] behind(byte[] beginning) {
    int last = beginning.length - 1;
    // Ends at the kind at the latest, which is a letter.
    while (beginning[last] == (byte) 0xff) {
      last--;
    }
    byte[] behind = Arrays.copyOf(beginning, last + 1);
    behind[last]++;
    return behind;
  }

  /** A super column for people. */
  static String display(byte[] top) {
    return new String(top, StandardCharsets.UTF_8);
  }

  private static byte[] joined(byte[] kind, byte[] name) {
    byte[] top = Arrays.copyOf(kind, kind.length + name.length);
    System.arraycopy(name, 0, top, kind.length, name.length);
    return top;
  }
}
