package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.sstable.SSTable;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Every figure of a column family, each declared once: its name is that of the field of {@code
 * ColumnFamilyStats} in the contract and of the metric {@code colonnade_family_…}, unless it is a
 * mean. Counters count from the start of the node; rates are from 0 to 1.
 */
public enum FamilyFigure {
  SSTABLES("Live data files", held(store -> store.view().tables().size())),
  LIVE_BYTES(
      "Bytes of rows and columns in the live data files, as written there",
      held(store -> sum(store, table -> table.stats().dataBytes()))),
  DISK_BYTES(
      "Bytes of the live data files on disk, with their indexes, filters and statistics",
      held(store -> sum(store, SSTable::diskBytes))),
  QUARANTINED_FILES(
      "Files that were set aside: damaged data, and records that could not be applied",
      held(store -> store.view().quarantined().size())),
  MEMTABLE_KEYS("Rows in memtables", held(FamilyFigure::memtableRows)),
  MEMTABLE_BYTES("Heap of memtables", held(store -> store.view().memtableBytes())),
  MEMTABLE_OPERATIONS("Columns and deletions in memtables", held(FamilyFigure::memtableOperations)),
  PENDING_COMPACTIONS(
      "Merges that are running, waiting, or will follow from them",
      new Reading(Kind.GAUGE, source -> source.pending().getAsInt())),
  READS("Pages read", done(FamilyCounters::reads)),
  READ_LATENCY_MICROS("Mean time of a read in microseconds", mean(FamilyCounters::readMicros)),
  WRITES("Row mutations accepted", done(FamilyCounters::writes)),
  WRITE_LATENCY_MICROS("Mean time of a write in microseconds", mean(FamilyCounters::writeMicros)),
  SSTABLES_TOUCHED("Data files that reads looked into", done(FamilyCounters::sstablesTouched)),
  BLOCKS_READ(
      "Blocks that reads looked at, from the cache or from disk", done(FamilyCounters::blocksRead)),
  BLOCK_CACHE_HITS("Blocks that reads found in memory", done(FamilyCounters::blockCacheHits)),
  BLOCK_CACHE_MISSES(
      "Blocks that reads fetched from disk",
      done(counters -> counters.blocksRead() - counters.blockCacheHits())),
  BLOOM_REJECTIONS(
      "Data files that the Bloom filter ruled out", done(FamilyCounters::bloomRejections)),
  BLOOM_FALSE_POSITIVES(
      "Data files without the row that the Bloom filter did not rule out",
      done(FamilyCounters::bloomFalsePositives)),
  KEY_CACHE_HITS("Rows that the key cache located", done(FamilyCounters::keyCacheHits)),
  KEY_CACHE_HIT_RATE(
      "Share of look-ups that the key cache answered", mean(FamilyCounters::keyCacheHitRate)),
  ROW_CACHE_HITS("Reads that the row cache answered", done(FamilyCounters::rowCacheHits)),
  ROW_CACHE_MISSES(
      "Reads that the row cache could not answer, where it is on",
      done(FamilyCounters::rowCacheMisses)),
  TOMBSTONES_SCANNED(
      "Deletions and expired columns that reads passed over", done(FamilyCounters::tombstones)),
  FLUSHES_BY_SIZE(flushed("their size"), flushes(FlushReason.SIZE)),
  FLUSHES_BY_OPERATIONS(flushed("their number of operations"), flushes(FlushReason.OPERATIONS)),
  FLUSHES_BY_AGE(flushed("their age"), flushes(FlushReason.AGE)),
  FLUSHES_ON_DEMAND(
      "Memtables written to disk on request, or to release segments of the log",
      flushes(FlushReason.DEMAND)),
  COMPACTED_BYTES(
      "Bytes of the data files that merges have written", done(FamilyCounters::compactedBytes));

  /**
   * Where a figure is read from.
   *
   * @param pending counts compactions, which takes a while
   */
  record FigureSource(ColumnFamilyStore store, IntSupplier pending) {}

  /** What the metric of a figure is. */
  private enum Kind {
    /** It goes up and down. */
    GAUGE,
    /** It only grows. */
    COUNTER,
    /** A mean since the start, which says nothing of now: a histogram is the metric. */
    MEAN
  }

  /** How a figure is read, and what kind it is. */
  private record Reading(Kind kind, ToDoubleFunction<FigureSource> from) {}

  private final String help;
  private final Reading reading;

  FamilyFigure(String help, Reading reading) {
    this.help = help;
    this.reading = reading;
  }

  /** The figure's name in the contract and in metrics. */
  public String figureName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** A description of what it counts. */
  public String help() {
    return help;
  }

  /** The metric's name, without the end {@code _total} of counters. */
  public String metricName() {
    return "colonnade_family_" + figureName();
  }

  /** Whether it only grows. */
  public boolean isCounter() {
    return reading.kind() == Kind.COUNTER;
  }

  /** Whether it is a mean, and {@link FamilyDistribution} has its metric. */
  public boolean isMean() {
    return reading.kind() == Kind.MEAN;
  }

  double read(FigureSource source) {
    return reading.from().applyAsDouble(source);
  }

  private static String flushed(String limit) {
    return "Memtables written to disk because of " + limit;
  }

  private static Reading held(ToLongFunction<ColumnFamilyStore> what) {
    return new Reading(Kind.GAUGE, source -> what.applyAsLong(source.store()));
  }

  private static Reading done(ToLongFunction<FamilyCounters> what) {
    return new Reading(Kind.COUNTER, source -> what.applyAsLong(source.store().counters()));
  }

  private static Reading mean(ToDoubleFunction<FamilyCounters> what) {
    return new Reading(Kind.MEAN, source -> what.applyAsDouble(source.store().counters()));
  }

  private static Reading flushes(FlushReason reason) {
    return done(counters -> counters.flushes(reason));
  }

  private static long sum(ColumnFamilyStore store, ToLongFunction<SSTable> what) {
    return store.view().tables().stream().mapToLong(what).sum();
  }

  private static long memtableRows(ColumnFamilyStore store) {
    FamilyVersion view = store.view();
    return view.active().rowCount()
        + view.flushing().stream().mapToLong(each -> each.memtable().rowCount()).sum();
  }

  private static long memtableOperations(ColumnFamilyStore store) {
    FamilyVersion view = store.view();
    return view.active().operations()
        + view.flushing().stream().mapToLong(each -> each.memtable().operations()).sum();
  }
}
