package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.sstable.ReadFigures;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one column family has done since the node started; {@link FamilyFigure} says what each count
 * means. Thread-safe.
 */
final class FamilyCounters {

  private static final double NANOS_PER_MICRO = 1_000;

  private final LongAdder reads = new LongAdder();
  private final LongAdder readNanos = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();
  private final LongAdder blocksRead = new LongAdder();
  private final LongAdder blockCacheHits = new LongAdder();
  private final LongAdder sstablesTouched = new LongAdder();
  private final LongAdder bloomRejections = new LongAdder();
  private final LongAdder bloomFalsePositives = new LongAdder();
  private final LongAdder keyCacheLookups = new LongAdder();
  private final LongAdder keyCacheHits = new LongAdder();
  private final LongAdder rowCacheHits = new LongAdder();
  private final LongAdder rowCacheMisses = new LongAdder();
  private final LongAdder tombstones = new LongAdder();
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
    reads.increment();
    readNanos.add(nanos);
    blocksRead.add(figures.blocksRead());
    blockCacheHits.add(figures.blockCacheHits());
    sstablesTouched.add(figures.sstablesTouched());
    bloomRejections.add(figures.bloomRejections());
    bloomFalsePositives.add(figures.bloomFalsePositives());
    keyCacheLookups.add(figures.keyCacheLookups());
    keyCacheHits.add(figures.keyCacheHits());
    tombstones.add(tombstonesPassed);
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
    writes.increment();
    writeNanos.add(nanos);
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

  long reads() {
    return reads.sum();
  }

  double readMicros() {
    return ratio(readNanos.sum() / NANOS_PER_MICRO, reads.sum());
  }

  long writes() {
    return writes.sum();
  }

  double writeMicros() {
    return ratio(writeNanos.sum() / NANOS_PER_MICRO, writes.sum());
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
    return tombstones.sum();
  }

  long compactedBytes() {
    return compactedBytes.sum();
  }

  long flushes(FlushReason reason) {
    return flush(reason).sum();
  }
}
