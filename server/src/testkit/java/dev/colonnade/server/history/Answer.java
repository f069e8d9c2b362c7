package dev.colonnade.server.history;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What an answer shows of a row, and of which columns it says anything at all. */
public final class Answer {
  private final @Nullable Set<String> names;
  private final @Nullable String from;
  private final @Nullable String to;
  private final Map<String, Seen> seen = new TreeMap<>();

  private Answer(@Nullable Set<String> names, @Nullable String from, @Nullable String to) {
    this.names = names;
    this.from = from;
    this.to = to;
  }

  /** Of the whole row: what is not added to it is not there. */
  public static Answer ofRow() {
    return new Answer(null, null, null);
  }

  /** Of these columns. */
  public static Answer ofColumns(Collection<String> names) {
    return new Answer(new TreeSet<>(names), null, null);
  }

  /**
   * Of an interval, such as a page: both ends belong to it, in the order of strings.
   *
   * @param from null for the first
   * @param to null for the last
   */
  public static Answer ofInterval(@Nullable String from, @Nullable String to) {
    return new Answer(null, from, to);
  }

  /** Adds what it shows of a column. */
  public Answer saw(String column, Seen what) {
    seen.put(column, what);
    return this;
  }

  Map<String, Seen> seen() {
    return seen;
  }

  /** What it shows of a column; null if it says nothing of it. */
  @Nullable Seen of(String column) {
    Seen shown = seen.get(column);
    return shown != null || !covers(column) ? shown : Seen.nothing();
  }

  private boolean covers(String column) {
    return names != null
        ? names.contains(column)
        : (from == null || column.compareTo(from) >= 0)
            && (to == null || column.compareTo(to) <= 0);
  }
}
