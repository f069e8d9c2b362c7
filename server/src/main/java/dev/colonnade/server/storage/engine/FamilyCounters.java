package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.metrics.Histograms;
import dev.colonnade.server.storage.sstable.ReadFigures;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * What one column family has done since the node started; {@link FamilyFigure} says what each count
 * means. Thread-safe.
 */
final class FamilyCounters {

  private static final double MICROS_PER_SECOND = 1e6;

  /** Each made when it is first needed: most of many families are idle. */
  private final Map<FamilyDistribution, Histogram> distributions = new ConcurrentHashMap<>();

  private final LongAdder blocksRead = new LongAdder();
  private final LongAdder blockCacheHits = new LongAdder();
  private final LongAdder sstablesTouched = new LongAdder();
  private final LongAdder bloomRejections = new LongAdder();
  private final LongAdder bloomFalsePositives = new LongAdder();
  private final LongAdder keyCacheLookups = new LongAdder();
  private final LongAdder keyCacheHits = new LongAdder();
  private final LongAdder rowCacheHits = new LongAdder();
  private final LongAdder rowCacheMisses = new LongAdder();
  private final LongAdder compactedBytes = new LongAdder();
  private final Map<FlushReason, LongAdder> flushes = new EnumMap<>(FlushReason.class);

  FamilyCounters() {
    for (FlushReason reason : FlushReason.values()) {
      flushes.put(reason, new LongAdder());
    }
  }

  /**
   * Counts a read that succeeded. A read that was begun without the disk and repeated with it
   * counts once.
   *
   * @param nanos since the request
   */
  void read(ReadFigures figures, long tombstonesPassed, long nanos) {
    distribution(FamilyDistribution.READ_DURATION_SECONDS).observe(Histograms.seconds(nanos));
    distribution(FamilyDistribution.READ_TOMBSTONES).observe((double) tombstonesPassed);
    blocksRead.add(figures.blocksRead());
    blockCacheHits.add(figures.blockCacheHits());
    sstablesTouched.add(figures.sstablesTouched());
    bloomRejections.add(figures.bloomRejections());
    bloomFalsePositives.add(figures.bloomFalsePositives());
    keyCacheLookups.add(figures.keyCacheLookups());
    keyCacheHits.add(figures.keyCacheHits());
  }

  /** Counts a successful read that asked the row cache first. */
  void askedRowCache(boolean answered) {
    (answered ? rowCacheHits : rowCacheMisses).increment();
  }

  /**
   * Counts a write that was accepted.
   *
   * @param nanos from the request to the acknowledgement
   */
  void wrote(long nanos) {
    distribution(FamilyDistribution.WRITE_DURATION_SECONDS).observe(Histograms.seconds(nanos));
  }

  void flushed(FlushReason reason) {
    flush(reason).increment();
  }

  /** Counts the bytes of files with which a compaction replaced others. */
  void compacted(long bytes) {
    compactedBytes.add(bytes);
  }

  private LongAdder flush(FlushReason reason) {
    LongAdder adder = flushes.get(reason);
    if (adder == null) {
      throw new IllegalStateException("no figure for " + reason);
    }
    return adder;
  }

  private Histogram distribution(FamilyDistribution which) {
    Histogram known = distributions.get(which);
    if (known != null) {
      return known;
    }
    return distributions.computeIfAbsent(which, FamilyDistribution::create);
  }

  /** What was measured so far; null if nothing was. */
  @Nullable HistogramDataPointSnapshot snapshot(FamilyDistribution which) {
    Histogram known = distributions.get(which);
    return known == null ? null : known.collect().getDataPoints().stream().findFirst().orElse(null);
  }

  private long count(FamilyDistribution which) {
    Histogram known = distributions.get(which);
    return known == null ? 0 : known.getCount();
  }

  private double sum(FamilyDistribution which) {
    Histogram known = distributions.get(which);
    return known == null ? 0 : known.getSum();
  }

  private double meanMicros(FamilyDistribution which) {
    return ratio(sum(which) * MICROS_PER_SECOND, count(which));
  }

  long reads() {
    return count(FamilyDistribution.READ_DURATION_SECONDS);
  }

  double readMicros() {
    return meanMicros(FamilyDistribution.READ_DURATION_SECONDS);
  }

  long writes() {
    return count(FamilyDistribution.WRITE_DURATION_SECONDS);
  }

  double writeMicros() {
    return meanMicros(FamilyDistribution.WRITE_DURATION_SECONDS);
  }

  /** Returns 0 while there is nothing to divide by. */
  private static double ratio(double part, long whole) {
    return whole == 0 ? 0 : part / whole;
  }

  long blocksRead() {
    return blocksRead.sum();
  }

  long blockCacheHits() {
    return blockCacheHits.sum();
  }

  long sstablesTouched() {
    return sstablesTouched.sum();
  }

  long bloomRejections() {
    return bloomRejections.sum();
  }

  long bloomFalsePositives() {
    return bloomFalsePositives.sum();
  }

  long keyCacheHits() {
    return keyCacheHits.sum();
  }

  double keyCacheHitRate() {
    return ratio((double) keyCacheHits.sum(), keyCacheLookups.sum());
  }

  long rowCacheHits() {
    return rowCacheHits.sum();
  }

  long rowCacheMisses() {
    return rowCacheMisses.sum();
  }

  long tombstones() {
    return (long) sum(FamilyDistribution.READ_TOMBSTONES);
  }

  long compactedBytes() {
    return compactedBytes.sum();
  }

  long flushes(FlushReason reason) {
    return flush(reason).sum();
  }
}
