package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The times of a file's deletions and expiries, as a histogram of at most 64 steps of equal width:
 * enough to estimate how much a compaction could purge. Immutable, thread-safe.
 */
public final class TombstoneHistogram {
  private static final int MAX_STEPS = 64;

  private final long[] starts;
  private final long[] counts;

  private TombstoneHistogram(long[] starts, long[] counts) {
    this.starts = starts;
    this.counts = counts;
  }

  /**
   * About how many were made, or expire, before {@code seconds} since 1970. Never fewer than the
   * steps that end before hold.
   */
  public long countBefore(long seconds) {
    long count = 0;
    for (int i = 0; i < starts.length && starts[i] < seconds; i++) {
      count += counts[i];
    }
    return count;
  }

  void write(ByteWriter out) {
    out.writeVarint(starts.length);
    for (int i = 0; i < starts.length; i++) {
      out.writeSignedVarint(starts[i]);
      out.writeVarint(counts[i]);
    }
  }

  static TombstoneHistogram read(ByteReader in) throws CorruptDataException {
    int steps = in.readLength("steps of a histogram", MAX_STEPS);
    long[] starts = new long[steps];
    long[] counts = new long[steps];
    for (int i = 0; i < steps; i++) {
      starts[i] = in.readSignedVarint();
      counts[i] = in.readVarint();
    }
    return new TombstoneHistogram(starts, counts);
  }

  /** Counts times in bounded memory: steps double in width when there are too many. */
  static final class HistogramBuilder {
    private final TreeMap<Long, Long> steps = new TreeMap<>();
    private int widthShift;

    void add(long seconds) {
      steps.merge(seconds >> widthShift << widthShift, 1L, Long::sum);
      while (steps.size() > MAX_STEPS) {
        widen();
      }
    }

    TombstoneHistogram toDropTimes() {
      long[] starts = steps.keySet().stream().mapToLong(Long::longValue).toArray();
      long[] counts = steps.values().stream().mapToLong(Long::longValue).toArray();
      return new TombstoneHistogram(starts, counts);
    }

    private void widen() {
      widthShift++;
      Map<Long, Long> narrow = new TreeMap<>(steps);
      steps.clear();
      narrow.forEach(
          (start, count) -> steps.merge(start >> widthShift << widthShift, count, Long::sum));
    }
  }
}
