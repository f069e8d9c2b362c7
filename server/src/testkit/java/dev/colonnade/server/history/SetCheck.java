package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whether a set that clients only added to, or removed from, ends as it must: what was acknowledged
 * is there, what was never tried is not, and what was acknowledged as removed does not come back.
 * Each element is added at most once, and removed only after it was added.
 */
public final class SetCheck {
  private final Map<String, Outcome> added = new TreeMap<>();
  private final Map<String, Outcome> removed = new TreeMap<>();

  /** A client asks for an element to be added; its outcome is not known yet. */
  public void adding(String element) {
    if (added.putIfAbsent(element, Outcome.UNKNOWN) != null) {
      throw new IllegalArgumentException(element + " is added twice");
    }
  }

  /** What became of it. */
  public void added(String element, Outcome outcome) {
    added.put(element, outcome);
  }

  /** A client asks for an element to be removed. */
  public void removing(String element) {
    removed.putIfAbsent(element, Outcome.UNKNOWN);
  }

  /** What became of that. */
  public void removed(String element, Outcome outcome) {
    removed.put(element, outcome);
  }

  /** Elements that must be there, whatever else is. */
  public SortedSet<String> certain() {
    SortedSet<String> certain = new TreeSet<>();
    added.forEach(
        (element, outcome) -> {
          if (outcome == Outcome.DONE && !mayBeRemoved(element)) {
            certain.add(element);
          }
        });
    return certain;
  }

  /** How many additions were acknowledged. */
  public long acknowledged() {
    return added.values().stream().filter(outcome -> outcome == Outcome.DONE).count();
  }

  /** What is wrong with a set that was read when all was over; empty if nothing. */
  public List<String> violations(Collection<String> found) {
    List<String> violations = new ArrayList<>();
    SortedSet<String> present = new TreeSet<>(found);
    for (String element : certain()) {
      if (!present.contains(element)) {
        violations.add("lost: " + element + " was acknowledged");
      }
    }
    for (String element : present) {
      Outcome outcome = added.get(element);
      if (outcome == null) {
        violations.add("alien: never added: " + element);
      } else if (outcome == Outcome.REFUSED) {
        violations.add("refused: " + element + " is there although it was refused");
      } else if (removed.get(element) == Outcome.DONE) {
        violations.add("resurrected: the removal of " + element + " was acknowledged");
      }
    }
    return violations;
  }

  private boolean mayBeRemoved(String element) {
    Outcome outcome = removed.get(element);
    return outcome == Outcome.DONE || outcome == Outcome.UNKNOWN;
  }
}
