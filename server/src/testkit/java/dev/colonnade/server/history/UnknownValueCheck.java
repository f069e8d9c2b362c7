package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whether nodes hold only cells that somebody wrote: none made up, none in another row or family
 * than its own. Cells are text, so that this knows nothing of how they look.
 */
public final class UnknownValueCheck {

  private final Map<String, SortedSet<String>> written = new TreeMap<>();
  private final SortedMap<String, SortedSet<String>> aliens = new TreeMap<>();

  /** Somebody asked for this cell to be written to this row, whatever became of it. */
  public void written(String row, String cell) {
    written.computeIfAbsent(row, r -> new TreeSet<>()).add(cell);
  }

  /** A node holds this cell. All that was written is known by now. */
  public void held(String node, String row, String cell) {
    if (!written.getOrDefault(row, new TreeSet<>()).contains(cell)) {
      aliens.computeIfAbsent(row + "/" + cell, c -> new TreeSet<>()).add(node);
    }
  }

  /** Cells that no client wrote, with the nodes that hold them; empty if there are none. */
  public List<String> violations() {
    List<String> violations = new ArrayList<>();
    aliens.forEach(
        (cell, nodes) -> violations.add("alien: " + cell + " on " + nodes + " was never written"));
    return violations;
  }
}
