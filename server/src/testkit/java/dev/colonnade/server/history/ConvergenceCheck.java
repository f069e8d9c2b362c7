package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whether all replicas of each row hold the same, cell by cell, and hold what the row must have by
 * what clients know. States are text, so that this knows nothing of how cells look.
 */
public final class ConvergenceCheck {

  /** Cells of a row on each of its replicas: row, then replica, then cell, then state. */
  private final SortedMap<String, SortedMap<String, SortedMap<String, String>>> rows =
      new TreeMap<>();

  /**
   * Adds what a replica holds of a row it should hold.
   *
   * @param cells state of each cell, deletions too; empty for a row that it does not have
   */
  public void add(String row, String replica, Map<String, String> cells) {
    rows.computeIfAbsent(row, r -> new TreeMap<>()).put(replica, new TreeMap<>(cells));
  }

  /** Where replicas differ, in words; empty if nowhere. */
  public List<String> differences() {
    List<String> differences = new ArrayList<>();
    rows.forEach(
        (row, replicas) -> {
          SortedSet<String> cells = new TreeSet<>();
          replicas.values().forEach(held -> cells.addAll(held.keySet()));
          for (String cell : cells) {
            SortedMap<String, SortedSet<String>> states = new TreeMap<>();
            replicas.forEach(
                (replica, held) ->
                    states
                        .computeIfAbsent(held.getOrDefault(cell, "nothing"), s -> new TreeSet<>())
                        .add(replica));
            if (states.size() > 1) {
              differences.add(row + "/" + cell + ": " + states);
            }
          }
        });
    return differences;
  }

  /** Rows that fewer or more replicas hold than they should, in words. */
  public List<String> wrongReplicas(int expected) {
    List<String> wrong = new ArrayList<>();
    rows.forEach(
        (row, replicas) -> {
          if (replicas.size() != expected) {
            wrong.add(row + " is on " + replicas.keySet() + ", which is not " + expected);
          }
        });
    return wrong;
  }
}
