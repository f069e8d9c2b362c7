package dev.colonnade.server.engine;

import dev.colonnade.server.sstable.ReadFigures;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What one column family has done since the node started. Thread-safe. */
public final class FamilyCounters {

  private final LongAdder reads = new LongAdder();
  private final LongAdder readNanos = new LongAdder();
  private final LongAdder writes = new LongAdder();
  private final LongAdder writeNanos = new LongAdder();
  private final LongAdder operations = new LongAdder();
  private final LongAdder blocksRead = new LongAdder();
  private final LongAdder blockCacheHits = new LongAdder();
  private final LongAdder sstablesTouched = new LongAdder();
  private final LongAdder bloomRejections = new LongAdder();
  private final LongAdder bloomFalsePositives = new LongAdder();
  private final LongAdder keyCacheHits = new LongAdder();
  private final LongAdder tombstones = new LongAdder();
  private final LongAdder compactedBytes = new LongAdder();
  private final Map<FlushReason, LongAdder> flushes = new EnumMap<>(FlushReason.class);

  FamilyCounters() {
    for (FlushReason reason : FlushReason.values()) {
      flushes.put(reason, new LongAdder());
    }
  }

  void read(ReadFigures figures, long tombstonesPassed, long nanos) {
    reads.increment();
    readNanos.add(nanos);
    blocksRead.add(figures.blocksRead());
    blockCacheHits.add(figures.blockCacheHits());
    sstablesTouched.add(figures.sstablesTouched());
    bloomRejections.add(figures.bloomRejections());
    bloomFalsePositives.add(figures.bloomFalsePositives());
    keyCacheHits.add(figures.keyCacheHits());
    tombstones.add(tombstonesPassed);
  }

  void wrote(int count, long nanos) {
    writes.increment();
    operations.add(count);
    writeNanos.add(nanos);
  }

  void flushed(FlushReason reason) {
    flush(reason).increment();
  }

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

  /** Pages of rows and scans that were read. */
  public long reads() {
    return reads.sum();
  }

  /** Mean time of a read in microseconds; 0 before the first. */
  public double readMicros() {
    return mean(readNanos.sum(), reads.sum());
  }

  /** Row mutations applied. */
  public long writes() {
    return writes.sum();
  }

  /** Mean time in microseconds that a mutation took to reach memory, once it was in the log. */
  public double writeMicros() {
    return mean(writeNanos.sum(), writes.sum());
  }

  private static double mean(long nanos, long count) {
    return count == 0 ? 0 : nanos / 1_000.0 / count;
  }

  /** Cells and deletions written. */
  public long operations() {
    return operations.sum();
  }

  /** Blocks that reads fetched from disk. */
  public long blocksRead() {
    return blocksRead.sum();
  }

  /** Blocks that reads found in the cache. */
  public long blockCacheHits() {
    return blockCacheHits.sum();
  }

  /** Data files that reads looked into. */
  public long sstablesTouched() {
    return sstablesTouched.sum();
  }

  /** Data files that the Bloom filter spared a read. */
  public long bloomRejections() {
    return bloomRejections.sum();
  }

  /** Data files that the filter let a read look into in vain. */
  public long bloomFalsePositives() {
    return bloomFalsePositives.sum();
  }

  /** Rows whose place the key cache knew. */
  public long keyCacheHits() {
    return keyCacheHits.sum();
  }

  /** Deletions and expired cells that reads passed over. */
  public long tombstones() {
    return tombstones.sum();
  }

  /** Bytes that compactions have read. */
  public long compactedBytes() {
    return compactedBytes.sum();
  }

  /** Memtables written to disk for that reason. */
  public long flushes(FlushReason reason) {
    return flush(reason).sum();
  }
}
