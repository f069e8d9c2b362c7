package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Places;
import dev.colonnade.server.base.async.Slot;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.MemtableLimits;
import dev.colonnade.server.storage.cache.RowCache;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One column family's data on this node: its current version, its row cache, and its figures.
 *
 * <p>Only the write pipeline writes, one update at a time. A read takes a version and is not
 * disturbed by later changes. The manifest stage changes the live files.
 */
final class ColumnFamilyStore {

  /** A read over a version. */
  interface ViewRead<T> {
    T read(FamilyVersion view) throws IOException;
  }

  private final Clock clock;
  private final String directory;
  private final AtomicLong lastGeneration;
  private final FamilyCounters counters = new FamilyCounters();
  private final Slot flush = new Slot();
  private final RunningMerges merges = new RunningMerges();
  private final Places pendingMajorCompactions = Places.unbounded();
  private final Places ingests = Places.unbounded();
  private final AtomicInteger truncations = new AtomicInteger();
  private volatile FamilyVersion view;
  private volatile RowCaching rowCaching;
  private volatile ColumnFamily definition;

  /**
   * Writes from before this truncation are void. While it is greater than the definition's, the
   * truncation is under way, and writes from after it must wait.
   */
  private volatile long truncatedBefore;

  private volatile boolean dropped;
  private volatile boolean unlogged;
  private volatile boolean closed;

  /**
   * Opens a store over the files that the manifest names.
   *
   * @param lastGeneration the greatest generation that was ever used
   * @param rowCacheBytes the most that the row cache could use; 0 for none
   */
  ColumnFamilyStore(
      ColumnFamily definition,
      Clock clock,
      String directory,
      List<SSTable> tables,
      List<Quarantined> quarantined,
      long lastGeneration,
      long rowCacheBytes) {
    this.definition = definition;
    this.truncatedBefore = definition.truncation();
    this.clock = clock;
    this.directory = directory;
    this.lastGeneration = new AtomicLong(lastGeneration);
    this.view = new FamilyVersion(newMemtable(), List.of(), tables, quarantined);
    this.rowCaching = RowCaching.of(rowCacheBytes);
  }

  FamilyId id() {
    return definition.id();
  }

  PathOrder order() {
    return definition.order();
  }

  ColumnFamily definition() {
    return definition;
  }

  /**
   * Takes over changed options; identity and order stay the same. Only for the write pipeline, so
   * that no write falls between a row cache and its successor.
   *
   * @param rowCacheBytes the most that the row cache could use; if it changes, the cache starts
   *     empty
   */
  void updateDefinition(ColumnFamily changed, long rowCacheBytes) {
    if (!changed.id().equals(definition.id())) {
      throw new IllegalArgumentException(changed.qualifiedName() + " is another family");
    }
    definition = changed;
    truncatedBefore = Math.max(truncatedBefore, changed.truncation());
    if (rowCaching.bytes() != rowCacheBytes) {
      rowCaching = RowCaching.of(rowCacheBytes);
    }
  }

  /** Returns the truncation before which writes are void. */
  long truncatedBefore() {
    return truncatedBefore;
  }

  /** Begins a truncation, or reverts it. */
  void truncatedBefore(long truncation) {
    truncatedBefore = truncation;
  }

  String directory() {
    return directory;
  }

  long nextGeneration() {
    return lastGeneration.incrementAndGet();
  }

  FamilyCounters counters() {
    return counters;
  }

  /** Returns the most that the row cache could use; its actual size is at most that. */
  long rowCacheWish() {
    return rowCaching.bytes();
  }

  RowCache<CachedRow> rowCache() {
    return rowCaching.rows();
  }

  boolean cachesRows() {
    return !rowCaching.rows().isOff();
  }

  FamilyVersion view() {
    return view;
  }

  boolean isDropped() {
    return dropped;
  }

  /** Marks the family as dropped: no further flush or compaction of it begins. */
  void drop() {
    dropped = true;
  }

  /** Releases the files; no reads follow. */
  void close() {
    closed = true;
    for (SSTable table : view.tables()) {
      table.release();
    }
  }

  /** Changes the version. Rare: writes and reads only look at it. */
  synchronized void updateView(UnaryOperator<FamilyVersion> change) {
    view = change.apply(view);
  }

  /** Holds the files of the current version while {@code read} runs. */
  <T> T withView(ViewRead<T> read) throws IOException {
    FamilyVersion held = retainView();
    try {
      return read.read(held);
    } finally {
      release(held);
    }
  }

  /** Releases the files of {@link #retainView}. */
  static void release(FamilyVersion held) {
    for (SSTable table : held.tables()) {
      table.release();
    }
  }

  /**
   * Returns the files of the current version, without memtables, each with a reference that the
   * caller must release.
   */
  FamilyVersion holdTables() {
    FamilyVersion current = retainView();
    return new FamilyVersion(newMemtable(), List.of(), current.tables(), current.quarantined());
  }

  /**
   * Holds the files of the current version until {@link #release}, for work of several steps.
   *
   * @throws StoreStoppedException if the store is closed
   */
  FamilyVersion retainView() {
    while (true) {
      if (closed) {
        throw new StoreStoppedException("the node is shutting down");
      }
      FamilyVersion candidate = view;
      int retained = 0;
      for (SSTable table : candidate.tables()) {
        if (!table.retain()) {
          break;
        }
        retained++;
      }
      if (retained == candidate.tables().size()) {
        return candidate;
      }
      // A file was removed between looking and holding, so a newer version exists without it.
      for (SSTable table : candidate.tables().subList(0, retained)) {
        table.release();
      }
    }
  }

  /**
   * Computes what an update makes of its row in memory; see {@link Memtable#prepare}. Only for the
   * write pipeline.
   */
  RowState prepare(RowKey key, RowUpdate update) {
    return view.active().prepare(key, update);
  }

  /** Makes the next update prepared for that row build on this one. Only for the write pipeline. */
  void stage(RowKey key, RowState prepared) {
    view.active().stage(key, prepared);
  }

  /** Discards what was staged. Only for the write pipeline. */
  void forgetPrepared() {
    view.active().forgetPrepared();
  }

  /** Makes a prepared update visible to readers. Only for the write pipeline. */
  void publish(RowKey key, RowUpdate update, RowState prepared) {
    view.active().publish(key, update, prepared, clock.monotonicNanos());
    followInCache(key, update);
  }

  /**
   * A cached row has more names than the memtable: if comparing them throws, the row is dropped
   * from the cache.
   */
  private void followInCache(RowKey key, RowUpdate update) {
    RowCache<CachedRow> cache = rowCaching.rows();
    try {
      cache.update(key, row -> row == null ? null : row.followed(update, order()));
    } catch (RuntimeException | Error e) {
      cache.remove(key);
      Errors.report(
          "a row was evicted from the row cache because a write could not be applied to it", e);
    }
  }

  /** Applies an update at once; for use while nothing is prepared. */
  void apply(RowKey key, RowUpdate update) {
    publish(key, update, prepare(key, update));
  }

  /** Records that something was written that is not in the log. Only for the write pipeline. */
  void noteUnlogged() {
    unlogged = true;
  }

  /** Whether anything was ever written that is not in the log, and is therefore in memory alone. */
  boolean hasUnlogged() {
    return unlogged;
  }

  /** Returns why the active memtable should be flushed now, if it should. */
  Optional<FlushReason> flushDue() {
    Memtable active = view.active();
    MemtableLimits limits = definition.options().memtable();
    if (active.isEmpty()) {
      return Optional.empty();
    }
    if (active.heapBytes() >= limits.throughputBytes()) {
      return Optional.of(FlushReason.SIZE);
    }
    if (limits.maxOperations() > 0 && active.operations() >= limits.maxOperations()) {
      return Optional.of(FlushReason.OPERATIONS);
    }
    long age = clock.monotonicNanos() - active.firstWriteNanos();
    return age >= limits.flushAfter().toNanos() ? Optional.of(FlushReason.AGE) : Optional.empty();
  }

  /**
   * Starts a new memtable; the old one covers the log up to {@code reached}. Only for the write
   * pipeline.
   */
  void switchMemtable(LogPosition reached, FlushReason reason) {
    Memtable fresh = newMemtable();
    updateView(
        current -> current.active().isEmpty() ? current : current.switched(fresh, reached, reason));
  }

  /** Drops all memtables of a dropped family; the manifest removes its files. */
  void forgetMemtables() {
    Memtable fresh = newMemtable();
    List<FamilyVersion.Flushing> forgotten = new ArrayList<>();
    updateView(
        current -> {
          forgotten.addAll(current.flushing());
          return current.purgeableIn(fresh);
        });
    rowCaching.rows().clear();
    for (FamilyVersion.Flushing memtable : forgotten) {
      memtable.outcome().done(Optional.empty());
    }
  }

  private Memtable newMemtable() {
    return new Memtable(definition.order());
  }

  /** Claims the only flush that may run; null if one is running already. */
  @Nullable Claim beginFlush() {
    return flush.claim();
  }

  /** Returns the compactions that run. */
  RunningMerges merges() {
    return merges;
  }

  /**
   * Marks an ingest of other nodes' rows as under way: no tombstone may be purged until they have
   * arrived.
   */
  Claim beginIngest() {
    return ingests.take();
  }

  /** Marks a major compaction as waiting for its turn; no other compaction begins meanwhile. */
  Claim beginPendingCompaction() {
    return pendingMajorCompactions.take();
  }

  /** Returns how many major compactions are queued behind the running one. */
  int pendingMajorCompactions() {
    return pendingMajorCompactions.taken();
  }

  /** Describes the current claims; empty while the family is at rest. */
  List<String> claims() {
    List<String> claims = new ArrayList<>();
    if (flush.isTaken()) {
      claims.add("a flush");
    }
    if (merges.count() > 0) {
      claims.add(merges.count() + " merges");
    }
    if (pendingMajorCompactions.taken() > 0) {
      claims.add(pendingMajorCompactions.taken() + " waiting merges");
    }
    if (ingests.taken() > 0) {
      claims.add(ingests.taken() + " ingests");
    }
    return claims;
  }

  /** Returns a number that grows with each truncation. */
  int truncations() {
    return truncations.get();
  }

  /** Records that everything older is gone. Only for the manifest stage. */
  void noteTruncated() {
    truncations.incrementAndGet();
  }

  /**
   * Returns the timestamp below which a deletion of the row hides nothing outside the given files,
   * because everything else that may hold the row is younger.
   */
  long purgeableBelow(RowKey key, Set<SSTable> merged) {
    if (ingests.taken() > 0) {
      // Rows being ingested may have been read before the deletion was made.
      return Long.MIN_VALUE;
    }
    FamilyVersion current = view;
    long oldest = current.active().minTimestamp();
    for (FamilyVersion.Flushing memtable : current.flushing()) {
      oldest = Math.min(oldest, memtable.memtable().minTimestamp());
    }
    for (SSTable table : current.tables()) {
      if (!merged.contains(table) && table.mightContain(key)) {
        oldest = Math.min(oldest, table.stats().minTimestamp());
      }
    }
    for (Quarantined file : current.quarantined()) {
      // The file may be restored, and its data must then still be hidden.
      if (file.extent().mightHold(key)) {
        oldest = Math.min(oldest, file.extent().minTimestamp());
      }
    }
    return oldest;
  }

  /** A row cache, and the most that it could use. */
  private record RowCaching(RowCache<CachedRow> rows, long bytes) {
    static RowCaching of(long bytes) {
      return new RowCaching(new RowCache<>(bytes, CachedRow::weight), bytes);
    }
  }
}
