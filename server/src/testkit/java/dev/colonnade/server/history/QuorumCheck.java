package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whether of each change that was acknowledged a quorum of the row's replicas has it, or something
 * newer. Where fewer have it, there is a quorum that does not know of it, though the reads of a run
 * may never have asked that one.
 */
public final class QuorumCheck {

  private record CellName(String row, String cell) implements Comparable<CellName> {
    @Override
    public int compareTo(CellName other) {
      int rows = row.compareTo(other.row);
      return rows != 0 ? rows : cell.compareTo(other.cell);
    }

    @Override
    public String toString() {
      return row + "/" + cell;
    }
  }

  private final SortedMap<CellName, Long> acknowledged = new TreeMap<>();
  private final SortedMap<CellName, SortedMap<String, Long>> held = new TreeMap<>();

  /** A client heard that a cell was written or deleted with this timestamp. */
  public void acknowledged(String row, String cell, long timestamp) {
    acknowledged.merge(new CellName(row, cell), timestamp, Math::max);
  }

  /** A replica of a row holds a cell, or its deletion, of this timestamp. */
  public void held(String row, String replica, String cell, long timestamp) {
    held.computeIfAbsent(new CellName(row, cell), c -> new TreeMap<>())
        .merge(replica, timestamp, Math::max);
  }

  /** What too few replicas hold, in words; empty if there is nothing. */
  public List<String> violations(int quorum) {
    List<String> violations = new ArrayList<>();
    acknowledged.forEach(
        (cell, timestamp) -> {
          SortedMap<String, Long> replicas = held.getOrDefault(cell, new TreeMap<>());
          SortedSet<String> having = new TreeSet<>();
          replicas.forEach(
              (replica, newest) -> {
                if (newest >= timestamp) {
                  having.add(replica);
                }
              });
          if (having.size() < quorum) {
            violations.add(
                "no quorum has it: " + cell + " @" + timestamp + " is on " + having + " only");
          }
        });
    return violations;
  }
}
