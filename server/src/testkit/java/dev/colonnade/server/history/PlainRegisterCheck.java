package dev.colonnade.server.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@link HistoryCheck} for rows of one column, written down as they are said, without
 * regard to time: an oracle for its test.
 */
final class PlainRegisterCheck {

  private PlainRegisterCheck() {}

  static boolean isGood(History history) {
    return history.rows().stream().allMatch(key -> isGood(history, key));
  }

  private static boolean isGood(History history, String key) {
    List<History.Read> reads = history.reads(key);
    return reads.stream().allMatch(read -> isGood(history.writes(key), reads, read));
  }

  private static boolean isGood(
      List<History.Write> writes, List<History.Read> reads, History.Read read) {
    Version held = held(writes, reads, read);
    Version floor = floor(writes, reads, read);
    Version seen = seen(read);
    if (seen == null) {
      return floor == null || held != null;
    }
    return writes.stream()
            .anyMatch(
                write ->
                    version(write).equals(seen)
                        && write.outcome != Outcome.REFUSED
                        && write.begin < read.end)
        && (floor == null || seen.compareTo(floor) >= 0);
  }

  /** What a read must have seen at least; null for nothing. */
  private static @Nullable Version floor(
      List<History.Write> writes, List<History.Read> reads, History.Read read) {
    Version floor = null;
    for (History.Write write : writes) {
      if (write.outcome == Outcome.DONE && write.end < read.begin) {
        floor = max(floor, version(write));
      }
    }
    for (History.Read earlier : reads) {
      if (earlier.end < read.begin) {
        floor = max(floor, held(writes, reads, earlier));
      }
    }
    return floor;
  }

  /** The least version that explains a read; null for none, or for nothing at all. */
  private static @Nullable Version held(
      List<History.Write> writes, List<History.Read> reads, History.Read read) {
    Version seen = seen(read);
    if (seen != null) {
      return seen;
    }
    Version floor = floor(writes, reads, read);
    Version least = null;
    for (History.Write write : writes) {
      if (floor != null
          && version(write).isDeletion()
          && write.outcome != Outcome.REFUSED
          && write.begin < read.end
          && version(write).compareTo(floor) >= 0
          && (least == null || version(write).compareTo(least) < 0)) {
        least = version(write);
      }
    }
    return least;
  }

  private static @Nullable Version max(@Nullable Version one, @Nullable Version other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.compareTo(other) >= 0 ? one : other;
  }

  private static Version version(History.Write write) {
    return new Version(write.timestamp, write.change.values().get(HistoryText.ONLY));
  }

  private static @Nullable Version seen(History.Read read) {
    Seen seen = read.answer == null ? null : read.answer.of(HistoryText.ONLY);
    return seen == null ? null : seen.version();
  }
}
