package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether pairs of numbers that somebody knows about somebody never go back: generation and version
 * of a node, as another node (or itself) has them.
 */
public final class Monotonic {
  private record Pair(long major, long minor) {
    boolean isBefore(Pair other) {
      return major != other.major ? major < other.major : minor < other.minor;
    }
  }

  private final Map<String, Map<String, Pair>> known = new HashMap<>();
  private final List<String> violations = new ArrayList<>();

  /** The observer knows this now. */
  public void observe(String observer, String subject, long major, long minor) {
    Pair now = new Pair(major, minor);
    Pair before = known.computeIfAbsent(observer, o -> new HashMap<>()).put(subject, now);
    if (before != null && now.isBefore(before)) {
      violations.add(
          observer
              + " knew "
              + subject
              + " at "
              + before.major
              + "."
              + before.minor
              + ", and then at "
              + major
              + "."
              + minor);
    }
  }

  /** The observer starts afresh and need not know anything. */
  public void forget(String observer) {
    known.remove(observer);
  }

  /** What went back, in words; empty if nothing did. */
  public List<String> violations() {
    return List.copyOf(violations);
  }
}
