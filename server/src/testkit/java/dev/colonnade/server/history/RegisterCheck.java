package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether the reads of a {@link RegisterHistory} are what reads and writes at QUORUM must give. Of
 * each read:
 *
 * <ul>
 *   <li>it is not older than any write that was acknowledged before the read began (of other
 *       clients too);
 *   <li>it is not older than what any read saw that ended before this one began: a write of unknown
 *       fate may show late, but once seen it stays;
 *   <li>what it saw was written to that key by a write that had begun and was not refused.
 * </ul>
 *
 * Time O(n log n), since versions are in an order of their own.
 */
public final class RegisterCheck {

  /** Something that sets the least version that later reads may see. */
  private record Floor(long end, Version version, String why) {}

  private final RegisterHistory history;
  private final List<String> violations = new ArrayList<>();

  private RegisterCheck(RegisterHistory history) {
    this.history = history;
  }

  /** What cannot have been, in words; empty if all is well. */
  public static List<String> violations(RegisterHistory history) {
    RegisterCheck check = new RegisterCheck(history);
    history.keys().forEach(check::check);
    return List.copyOf(check.violations);
  }

  private void check(String key) {
    Map<Version, RegisterHistory.Write> written = new HashMap<>();
    TreeMap<Version, RegisterHistory.Write> deletions = new TreeMap<>();
    List<Floor> floors = new ArrayList<>();
    for (RegisterHistory.Write write : history.writes(key)) {
      // The same version twice: whichever began first can have been seen first.
      if (write.outcome != Outcome.REFUSED || !written.containsKey(write.version)) {
        written.merge(write.version, write, RegisterCheck::better);
      }
      if (write.outcome == Outcome.DONE) {
        floors.add(new Floor(write.end, write.version, "was acknowledged at " + write.end));
      }
      if (write.version.isDeletion() && write.outcome != Outcome.REFUSED) {
        deletions.merge(write.version, write, RegisterCheck::better);
      }
    }
    List<RegisterHistory.Read> reads = new ArrayList<>(history.endedReads(key));
    floors.sort(Comparator.comparingLong(Floor::end));
    reads.sort(Comparator.comparingLong(read -> read.begin));
    new Sweep(key, written, deletions, floors).over(reads);
  }

  private static RegisterHistory.Write better(
      RegisterHistory.Write first, RegisterHistory.Write second) {
    if (first.outcome == Outcome.REFUSED) {
      return second;
    }
    return second.outcome == Outcome.REFUSED || first.begin <= second.begin ? first : second;
  }

  /** All reads of one key, in the order in which they began. */
  private final class Sweep {
    private final String key;
    private final Map<Version, RegisterHistory.Write> written;
    private final NavigableMap<Version, RegisterHistory.Write> deletions;
    private final List<Floor> acknowledged;
    private int nextAcknowledged;
    private @Nullable Floor floor;

    Sweep(
        String key,
        Map<Version, RegisterHistory.Write> written,
        NavigableMap<Version, RegisterHistory.Write> deletions,
        List<Floor> acknowledged) {
      this.key = key;
      this.written = written;
      this.deletions = deletions;
      this.acknowledged = acknowledged;
    }

    void over(List<RegisterHistory.Read> reads) {
      // What reads saw, waiting for the first read that began after their end.
      PriorityQueue<Floor> seen = new PriorityQueue<>(Comparator.comparingLong(Floor::end));
      for (RegisterHistory.Read read : reads) {
        while (nextAcknowledged < acknowledged.size()
            && acknowledged.get(nextAcknowledged).end() < read.begin) {
          raise(acknowledged.get(nextAcknowledged++));
        }
        while (!seen.isEmpty() && seen.peek().end() < read.begin) {
          raise(seen.remove());
        }
        Version version = read.seen == null ? ofNothing(read) : ofValue(read, read.seen);
        if (version != null) {
          seen.add(new Floor(read.end, version, "was seen by a read that ended at " + read.end));
        }
      }
    }

    private void raise(Floor candidate) {
      if (floor == null || candidate.version().compareTo(floor.version()) > 0) {
        floor = candidate;
      }
    }

    private Version ofValue(RegisterHistory.Read read, Version version) {
      RegisterHistory.Write write = written.get(version);
      if (write == null) {
        report(read, version + " was never written to it");
      } else if (write.outcome == Outcome.REFUSED) {
        report(read, version + " was refused when it was to be written");
      } else if (write.begin > read.end) {
        report(read, version + " was written only from " + write.begin + " on");
      }
      if (floor != null && version.compareTo(floor.version()) < 0) {
        report(read, version + " although " + floor.version() + " " + floor.why());
      }
      return version;
    }

    /** The least version that explains why a read saw no value; null for none at all. */
    private @Nullable Version ofNothing(RegisterHistory.Read read) {
      Floor least = floor;
      if (least == null) {
        return null;
      }
      for (Map.Entry<Version, RegisterHistory.Write> deletion :
          deletions.tailMap(least.version(), true).entrySet()) {
        if (deletion.getValue().begin < read.end) {
          return deletion.getKey();
        }
      }
      report(read, "nothing although " + least.version() + " " + least.why());
      return null;
    }

    private void report(RegisterHistory.Read read, String words) {
      violations.add(
          "the read of " + key + " from " + read.begin + " to " + read.end + " saw " + words);
    }
  }
}
