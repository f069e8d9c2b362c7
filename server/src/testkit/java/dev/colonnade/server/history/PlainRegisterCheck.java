package dev.colonnade.server.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules of {@link RegisterCheck} written down as they are said, without regard to time: an
 * oracle for its test.
 */
final class PlainRegisterCheck {

  private PlainRegisterCheck() {}

  static boolean isGood(RegisterHistory history) {
    return history.keys().stream().allMatch(key -> isGood(history, key));
  }

  private static boolean isGood(RegisterHistory history, String key) {
    List<RegisterHistory.Read> reads = history.endedReads(key);
    return reads.stream().allMatch(read -> isGood(history.writes(key), reads, read));
  }

  private static boolean isGood(
      List<RegisterHistory.Write> writes,
      List<RegisterHistory.Read> reads,
      RegisterHistory.Read read) {
    Version held = held(writes, reads, read);
    Version floor = floor(writes, reads, read);
    if (read.seen == null) {
      return floor == null || held != null;
    }
    return writes.stream()
            .anyMatch(
                write ->
                    write.version.equals(read.seen)
                        && write.outcome != Outcome.REFUSED
                        && write.begin < read.end)
        && (floor == null || read.seen.compareTo(floor) >= 0);
  }

  /** What a read must have seen at least; null for nothing. */
  private static @Nullable Version floor(
      List<RegisterHistory.Write> writes,
      List<RegisterHistory.Read> reads,
      RegisterHistory.Read read) {
    Version floor = null;
    for (RegisterHistory.Write write : writes) {
      if (write.outcome == Outcome.DONE && write.end < read.begin) {
        floor = max(floor, write.version);
      }
    }
    for (RegisterHistory.Read earlier : reads) {
      if (earlier.end < read.begin) {
        floor = max(floor, held(writes, reads, earlier));
      }
    }
    return floor;
  }

  /** The least version that explains a read; null for none, or for nothing at all. */
  private static @Nullable Version held(
      List<RegisterHistory.Write> writes,
      List<RegisterHistory.Read> reads,
      RegisterHistory.Read read) {
    if (read.seen != null) {
      return read.seen;
    }
    Version floor = floor(writes, reads, read);
    Version least = null;
    for (RegisterHistory.Write write : writes) {
      if (floor != null
          && write.version.isDeletion()
          && write.outcome != Outcome.REFUSED
          && write.begin < read.end
          && write.version.compareTo(floor) >= 0
          && (least == null || write.version.compareTo(least) < 0)) {
        least = write.version;
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
}
