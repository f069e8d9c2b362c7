package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether the answers of a {@link History} are what they promise. Versions are in the order that
 * the store itself goes by, so nothing has to be searched: each answer raises floors below which no
 * later answer may fall. The time is that of sorting, times the columns that each operation names.
 *
 * <p>Where an answer names no version ("nothing", "not this"), it is explained by the least version
 * that it may have been, which forbids the least of later answers.
 */
public final class HistoryCheck {

  /** The least version of a column that later answers may show. */
  private record Floor(Version version, boolean acknowledged, long since) {
    @Override
    public String toString() {
      return version + (acknowledged ? " was acknowledged at " : " was seen at ") + since;
    }
  }

  /** Floors that begin to count at some moment. */
  private record Rise(long end, boolean acknowledged, Map<String, Version> versions) {}

  private final History history;
  private final List<Violation> violations = new ArrayList<>();

  private HistoryCheck(History history) {
    this.history = history;
  }

  /** What cannot have been; empty if all is well. */
  public static List<Violation> violations(History history) {
    HistoryCheck check = new HistoryCheck(history);
    for (String row : history.rows()) {
      check.new RowCheck(row).run();
    }
    return List.copyOf(check.violations);
  }

  /** All changes that touch a column. */
  static final class Column {
    /** Each with the changes that made it: of values one, of deletions often several. */
    final NavigableMap<Version, List<History.Write>> versions = new TreeMap<>();

    final NavigableSet<Version> values = new TreeSet<>();
    final NavigableSet<Version> deletions = new TreeSet<>();

    private void add(Version version, History.Write write) {
      versions.computeIfAbsent(version, v -> new ArrayList<>()).add(write);
      (version.isDeletion() ? deletions : values).add(version);
    }

    private List<History.Write> writes(Version version) {
      return versions.getOrDefault(version, List.of());
    }

    private boolean isPossible(Version version, History.Read read) {
      return writes(version).stream().anyMatch(write -> isPossible(write, read));
    }

    private static boolean isPossible(History.Write write, History.Read read) {
      return write.outcome != Outcome.REFUSED && write.begin < read.end;
    }

    /** The least version from a floor on that looks so; null if there is none. */
    @Nullable Version least(Seen seen, @Nullable Version floor, History.Read read) {
      NavigableSet<Version> candidates =
          seen.isDifferent()
              ? versions.navigableKeySet()
              : seen.value() == null ? deletions : values;
      for (Version version : floor == null ? candidates : candidates.tailSet(floor, true)) {
        if (seen.matches(version) && isPossible(version, read)) {
          return version;
        }
      }
      return null;
    }
  }

  /** All columns of a row by what was written, once each change has its timestamp. */
  static SortedColumns columns(History history, String row, List<Violation> violations) {
    SortedColumns columns = new SortedColumns();
    List<History.Write> writes = history.writes(row);
    Map<String, History.Write> untimed = new HashMap<>();
    for (History.Write write : writes) {
      write
          .change
          .values()
          .forEach(
              (column, value) -> {
                columns.add(column);
                if (value != null && write.change.timestamp() == Change.BY_NODE) {
                  untimed.put(column + "\n" + value, write);
                }
              });
    }
    for (History.Read read : history.reads(row)) {
      seen(read).keySet().forEach(columns::add);
      resolve(read, untimed, violations);
    }
    for (History.Write write : writes) {
      if (write.timestamp != Change.BY_NODE) {
        versions(write, columns.all.keySet())
            .forEach((column, version) -> columns.get(column).add(version, write));
      }
    }
    return columns;
  }

  /** Learns the timestamps of changes that nobody was told of from those who see them. */
  private static void resolve(
      History.Read read, Map<String, History.Write> untimed, List<Violation> violations) {
    seen(read)
        .forEach(
            (column, seen) -> {
              Version version = seen.version();
              History.Write write = untimed.get(column + "\n" + seen.value());
              if (version == null || write == null) {
                return;
              }
              if (write.timestamp == Change.BY_NODE) {
                write.timestamp = version.timestamp();
              } else if (write.timestamp != version.timestamp()) {
                violations.add(
                    new Violation(
                        Violation.Kind.TWICE,
                        read.row,
                        words(read, column, seen)
                            + " although it was written once, with timestamp "
                            + write.timestamp));
              }
            });
  }

  static Map<String, Seen> seen(History.Read read) {
    return read.answer == null ? Map.of() : read.answer.seen();
  }

  /** What a change makes of each column that it touches, given all columns of the row. */
  static Map<String, Version> versions(History.Write write, Iterable<String> all) {
    Map<String, Version> versions = new TreeMap<>();
    write
        .change
        .values()
        .forEach((column, value) -> versions.put(column, new Version(write.timestamp, value)));
    if (write.change.removesRow()) {
      Version deletion = new Version(write.timestamp, null);
      all.forEach(column -> versions.putIfAbsent(column, deletion));
    }
    return versions;
  }

  /** The columns of a row by name. */
  static final class SortedColumns {
    final NavigableMap<String, Column> all = new TreeMap<>();

    private void add(String name) {
      all.putIfAbsent(name, new Column());
    }

    private Column get(String name) {
      return Objects.requireNonNull(all.get(name), name);
    }
  }

  private static String words(History.Read read, String column, Seen seen) {
    return "the read of "
        + read.row
        + "/"
        + column
        + " by "
        + read.client
        + " from "
        + read.begin
        + " to "
        + read.end
        + " saw "
        + seen;
  }

  /** One row: all its reads, in the order in which they began. */
  private final class RowCheck {
    private final String row;
    private final SortedColumns columns;
    private final List<Rise> acknowledged = new ArrayList<>();
    private final PriorityQueue<Rise> shown =
        new PriorityQueue<>(Comparator.comparingLong(Rise::end));
    private final Map<String, Floor> floors = new HashMap<>();
    private int nextAcknowledged;

    RowCheck(String row) {
      this.row = row;
      this.columns = columns(history, row, violations);
      for (History.Write write : history.writes(row)) {
        if (write.outcome == Outcome.DONE && write.timestamp != Change.BY_NODE) {
          acknowledged.add(new Rise(write.end, true, versions(write, columns.all.keySet())));
        }
      }
      acknowledged.sort(Comparator.comparingLong(Rise::end));
    }

    void run() {
      for (History.Read read : history.reads(row)) {
        while (nextAcknowledged < acknowledged.size()
            && acknowledged.get(nextAcknowledged).end() < read.begin) {
          raise(acknowledged.get(nextAcknowledged++));
        }
        while (!shown.isEmpty() && shown.peek().end() < read.begin) {
          raise(shown.remove());
        }
        if (read.count >= 0) {
          count(read);
        } else {
          check(read);
        }
      }
    }

    private void raise(Rise rise) {
      rise.versions()
          .forEach(
              (column, version) -> {
                Floor before = floors.get(column);
                if (before == null || version.compareTo(before.version()) > 0) {
                  floors.put(column, new Floor(version, rise.acknowledged(), rise.end()));
                }
              });
    }

    private @Nullable Seen seen(History.Read read, String column) {
      return read.answer == null ? null : read.answer.of(column);
    }

    private void check(History.Read read) {
      Map<String, Version> explained = new TreeMap<>();
      columns.all.forEach(
          (name, column) -> {
            Seen seen = seen(read, name);
            if (seen != null) {
              Version version = explain(read, name, column, seen);
              if (version != null) {
                explained.put(name, version);
              }
            }
          });
      if (read.promise.isWhole()) {
        wholeness(read, explained);
      }
      if (read.promise.isBinding()) {
        if (read.promise.isWhole()) {
          addTheRestOfBatches(explained);
        }
        shown.add(new Rise(read.end, false, explained));
      }
    }

    /** The version that explains what was seen of a column; null for none at all. */
    private @Nullable Version explain(History.Read read, String name, Column column, Seen seen) {
      Floor floor = read.promise.isFresh() ? floors.get(name) : null;
      Version version = seen.version();
      if (version == null) {
        Version least = column.least(seen, floor == null ? null : floor.version(), read);
        if (least == null && (floor != null || !seen.matches(null))) {
          report(
              floor == null
                  ? Violation.Kind.NEVER_WRITTEN
                  : seen.value() == null ? Violation.Kind.LOST : Violation.Kind.STALE,
              words(read, name, seen) + (floor == null ? "" : " although " + floor));
        }
        // Without a floor it may be that nothing was there yet.
        return floor == null && seen.matches(null) ? null : least;
      }
      List<History.Write> writes = column.writes(version);
      if (writes.isEmpty()) {
        report(Violation.Kind.NEVER_WRITTEN, words(read, name, seen) + ", never written to it");
        return null;
      }
      if (!column.isPossible(version, read)) {
        boolean refused = writes.stream().allMatch(write -> write.outcome == Outcome.REFUSED);
        report(
            refused ? Violation.Kind.REFUSED : Violation.Kind.FUTURE,
            words(read, name, seen)
                + (refused ? " although it was refused" : ", which was written only later"));
      }
      if (floor != null && version.compareTo(floor.version()) < 0) {
        report(
            floor.version().isDeletion()
                ? Violation.Kind.RESURRECTED
                : floor.acknowledged() ? Violation.Kind.STALE : Violation.Kind.WENT_BACK,
            words(read, name, seen) + " although " + floor);
      }
      return version;
    }

    /** Whatever change one column shows, the others show too, or something newer. */
    private void wholeness(History.Read read, Map<String, Version> explained) {
      Map<String, Version> least = new TreeMap<>(explained);
      addTheRestOfBatches(least);
      for (Map.Entry<String, Column> entry : columns.all.entrySet()) {
        Seen seen = seen(read, entry.getKey());
        Version from = least.get(entry.getKey());
        String torn = seen == null || from == null ? null : torn(read, entry.getKey(), seen, from);
        if (torn != null && seen != null) {
          // The other columns of the batch say the same.
          report(Violation.Kind.TORN, words(read, entry.getKey(), seen) + torn);
          return;
        }
      }
    }

    private @Nullable String torn(History.Read read, String name, Seen seen, Version from) {
      if (seen.version() != null) {
        return torn(read, seen.version(), name);
      }
      Column column = columns.get(name);
      boolean torn =
          seen.value() == null
              && column.deletions.tailSet(from, true).stream()
                  .noneMatch(
                      version ->
                          column.isPossible(version, read) && torn(read, version, name) == null);
      return torn ? " although other columns show no deletion of it" : null;
    }

    /** Where an answer shows less of each change that made a version; null if nowhere. */
    private @Nullable String torn(History.Read read, Version version, String name) {
      String torn = null;
      for (History.Write write : columns.get(name).writes(version)) {
        if (Column.isPossible(write, read)) {
          torn = torn(read, write);
          if (torn == null) {
            return null;
          }
        }
      }
      return torn;
    }

    private @Nullable String torn(History.Read read, History.Write write) {
      for (Map.Entry<String, Version> part : versions(write, columns.all.keySet()).entrySet()) {
        Seen other = seen(read, part.getKey());
        if (other != null && isOlder(read, part.getKey(), other, part.getValue())) {
          return " and of " + part.getKey() + " " + other + ", which that batch replaced";
        }
      }
      return null;
    }

    private boolean isOlder(History.Read read, String name, Seen seen, Version than) {
      Version held = seen.version();
      return held != null
          ? held.compareTo(than) < 0
          : columns.get(name).least(seen, than, read) == null;
    }

    private void addTheRestOfBatches(Map<String, Version> explained) {
      Map<String, Version> rest = new TreeMap<>();
      explained.forEach(
          (name, version) -> {
            // Which deletion it was is a guess.
            if (!version.isDeletion()) {
              columns
                  .get(name)
                  .writes(version)
                  .forEach(
                      write ->
                          versions(write, columns.all.keySet())
                              .forEach(
                                  (column, part) -> rest.merge(column, part, HistoryCheck::newer)));
            }
          });
      rest.forEach((column, part) -> explained.merge(column, part, HistoryCheck::newer));
    }

    /** As many columns as there may have been during the read. */
    private void count(History.Read read) {
      long least = 0;
      long most = 0;
      for (Map.Entry<String, Column> entry : columns.all.entrySet()) {
        if (seen(read, entry.getKey()) == null) {
          continue;
        }
        Floor floor = read.promise.isFresh() ? floors.get(entry.getKey()) : null;
        Column column = entry.getValue();
        boolean held = floor != null && !floor.version().isDeletion();
        if (held
            || isAnyPossible(column, column.values, floor == null ? null : floor.version(), read)) {
          most++;
        }
        if (held
            && floor != null
            && !isAnyPossible(column, column.deletions, floor.version(), read)) {
          least++;
        }
      }
      if (read.count < least || read.count > most) {
        report(
            Violation.Kind.MISCOUNTED,
            "the count of "
                + row
                + " by "
                + read.client
                + " from "
                + read.begin
                + " to "
                + read.end
                + " is "
                + read.count
                + ", which is not between "
                + least
                + " and "
                + most);
      }
    }

    private static boolean isAnyPossible(
        Column column, NavigableSet<Version> versions, @Nullable Version above, History.Read read) {
      return (above == null ? versions : versions.tailSet(above, false))
          .stream().anyMatch(version -> column.isPossible(version, read));
    }

    private void report(Violation.Kind kind, String words) {
      violations.add(new Violation(kind, row, words));
    }
  }

  static Version newer(Version one, Version other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}
