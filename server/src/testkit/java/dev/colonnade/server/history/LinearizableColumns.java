package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the changes and binding answers of each column can have taken effect one after another.
 * It says the same of a column as {@link HistoryCheck}, but knows nothing of floors: it searches.
 * It is for histories that are not too long, to check that one. A change that is older than one
 * that was acknowledged before it began can have no place in such an order: timestamps must grow
 * with the beginnings.
 */
public final class LinearizableColumns {

  /**
   * What was found.
   *
   * @param checked columns with an order
   * @param undecided columns that would take too long
   * @param violations columns without one, in words
   */
  public record Found(long checked, long undecided, List<String> violations) {}

  private record Step(long begin, long end, @Nullable Version written, @Nullable Seen seen)
      implements Linearizability.Operation<Optional<Version>> {

    @Override
    public boolean isPossible(Optional<Version> state) {
      return seen == null || seen.matches(state.orElse(null));
    }

    @Override
    public Optional<Version> applied(Optional<Version> state) {
      return written == null || (state.isPresent() && state.get().compareTo(written) >= 0)
          ? state
          : Optional.of(written);
    }
  }

  private LinearizableColumns() {}

  /** Searches in each column, in at most so many steps. */
  public static Found of(History history, long mostSteps) {
    long checked = 0;
    long undecided = 0;
    List<String> violations = new ArrayList<>();
    for (String row : history.rows()) {
      for (Map.Entry<String, HistoryCheck.Column> column :
          HistoryCheck.columns(history, row, new ArrayList<>()).all.entrySet()) {
        List<Step> steps = steps(history, row, column.getKey(), column.getValue());
        switch (Linearizability.of(steps, Optional.<Version>empty(), mostSteps)) {
          case POSSIBLE -> checked++;
          case UNDECIDED -> undecided++;
          case IMPOSSIBLE -> violations.add(row + "/" + column.getKey() + " has no order");
        }
      }
    }
    return new Found(checked, undecided, violations);
  }

  private static List<Step> steps(
      History history, String row, String name, HistoryCheck.Column column) {
    List<Step> steps = new ArrayList<>();
    Set<@Nullable Version> seen = new HashSet<>();
    boolean namesVersions = true;
    for (History.Read read : history.reads(row)) {
      Seen shown = read.answer == null || read.count >= 0 ? null : read.answer.of(name);
      if (shown != null && read.promise.isBinding()) {
        steps.add(new Step(read.begin, read.end, null, shown));
        seen.add(shown.version());
        namesVersions &= shown.version() != null || shown.value() == null;
      }
    }
    for (Map.Entry<Version, List<History.Write>> made : column.versions.entrySet()) {
      for (History.Write write : made.getValue()) {
        boolean known = write.outcome == Outcome.DONE;
        // What is not known to have been made and never seen need not have been.
        if (known
            || (write.outcome == Outcome.UNKNOWN
                && (made.getKey().isDeletion()
                    || !namesVersions
                    || seen.contains(made.getKey())))) {
          steps.add(new Step(write.begin, known ? write.end : Long.MAX_VALUE, made.getKey(), null));
        }
      }
    }
    return steps;
  }
}
