package dev.colonnade.server.base.health;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * The health of this node: the conditions that hold now, and what they mean for its service.
 *
 * <p>To report:
 *
 * <pre>{@code
 * health.raise(Condition.STALLED, "stage READ", Impact.UNFAVOURABLE, "no task ended for 12 s");
 * ...
 * health.clear(Condition.STALLED, "stage READ");
 * }</pre>
 *
 * <p>Raising again replaces impact and reason of the same condition and subject; clearing what was
 * not raised does nothing. Both may be called from any thread, often, and under locks: they wait
 * for nothing but each other. A reason is one clause for people, and is sent to clients and peers,
 * so it contains no path of the host.
 *
 * <p>Listeners register with {@link #listen}. They are told that something changed, not what, and
 * then call {@link #report}, so a listener that is told late or twice still gets the right answer.
 *
 * <p>Thread-safe.
 */
public final class Health {

  /** A condition that holds. */
  public record Problem(Condition condition, String subject, Impact impact, String reason) {

    /** Describes the problem. */
    public String inWords() {
      return subject.isEmpty() ? reason : subject + ": " + reason;
    }
  }

  /**
   * All problems at one moment. Immutable.
   *
   * @param problems the gravest first, then by condition and subject
   */
  public record Report(List<Problem> problems) {

    /** Nothing is wrong. */
    public static final Report SOUND = new Report(List.of());

    /** Copies the list. */
    public Report {
      problems = List.copyOf(problems);
    }

    /** The gravest impact of all. */
    public Impact impact() {
      return problems.isEmpty() ? Impact.NONE : problems.get(0).impact();
    }

    /** Why the node is not ready for clients; empty while it is. */
    public Optional<String> whyNotReady() {
      return reasons(Impact.NOT_READY);
    }

    /** Why the node refuses reads and writes as a replica; empty while it does not. */
    public Optional<String> whyNotServing() {
      return reasons(Impact.NOT_SERVING);
    }

    /** The reasons of all problems of at least this impact; empty if there is none. */
    public Optional<String> reasons(Impact atLeast) {
      if (problems.isEmpty()) {
        return Optional.empty(); // Each request asks, and a node is sound most of the time.
      }
      String text =
          problems.stream()
              .filter(problem -> problem.impact().compareTo(atLeast) >= 0)
              .map(Problem::inWords)
              .collect(Collectors.joining("; "));
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /**
     * The text to gossip, by which peers choose whom to ask, and operators see at each node what is
     * wrong with others: the gravest impact and the reasons, cut to a length. Empty while nothing
     * is wrong, or only what keeps clients away.
     *
     * @param charactersMax at least as long as the longest name of an impact
     */
    public String gossiped(int charactersMax) {
      List<Problem> told =
          problems.stream().filter(problem -> problem.impact() != Impact.NOT_READY).toList();
      if (told.isEmpty()) {
        return "";
      }
      String text =
          told.get(0).impact().text()
              + ":"
              + told.stream().map(Problem::inWords).collect(Collectors.joining("; "));
      return text.substring(0, Math.min(charactersMax, text.length()));
    }
  }

  private record ConditionKey(Condition condition, String subject)
      implements Comparable<ConditionKey> {
    @Override
    public int compareTo(ConditionKey other) {
      int byCondition = condition.compareTo(other.condition);
      return byCondition != 0 ? byCondition : subject.compareTo(other.subject);
    }
  }

  private final Object lock = new Object();
  private final TreeMap<ConditionKey, Problem> problems = new TreeMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile Report report = Report.SOUND;

  /** Raises a condition without subject: it holds from now on. */
  public void raise(Condition condition, Impact impact, String reason) {
    raise(condition, "", impact, reason);
  }

  /**
   * Raises a condition: it holds from now on.
   *
   * @param subject which of several things it is about; empty if there is one only
   * @param impact more than {@link Impact#NONE}
   * @param reason for people, also those of other nodes
   */
  public void raise(Condition condition, String subject, Impact impact, String reason) {
    if (impact == Impact.NONE) {
      throw new IllegalArgumentException(condition + " without impact is to be cleared instead");
    }
    Problem problem = new Problem(condition, subject, impact, reason);
    synchronized (lock) {
      if (problem.equals(problems.put(new ConditionKey(condition, subject), problem))) {
        return;
      }
      publish();
    }
    notifyListeners();
  }

  /** Clears a condition without subject. */
  public void clear(Condition condition) {
    clear(condition, "");
  }

  /** Clears a condition. */
  public void clear(Condition condition, String subject) {
    synchronized (lock) {
      if (problems.remove(new ConditionKey(condition, subject)) == null) {
        return;
      }
      publish();
    }
    notifyListeners();
  }

  private void publish() {
    // Stable: among equals the order of conditions and subjects stays.
    report =
        new Report(
            problems.values().stream().sorted((a, b) -> b.impact().compareTo(a.impact())).toList());
  }

  private void notifyListeners() {
    for (Runnable listener : listeners) {
      listener.run();
    }
  }

  /** The current report. */
  public Report report() {
    return report;
  }

  /**
   * Adds a listener, called after each change on the thread that made it: it must be quick, wait
   * for nothing, throw nothing, and raise or clear nothing itself.
   */
  public void listen(Runnable listener) {
    listeners.add(listener);
  }
}
