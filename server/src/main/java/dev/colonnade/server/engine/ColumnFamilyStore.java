package dev.colonnade.server.engine;

import dev.colonnade.server.async.Claim;
import dev.colonnade.server.async.Errors;
import dev.colonnade.server.async.Places;
import dev.colonnade.server.async.Slot;
import dev.colonnade.server.cache.RowCache;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.memtable.Memtable;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.MemtableLimits;
import dev.colonnade.server.sstable.SSTable;
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
 * One column family's data on this node: its present view, its row cache, its figures.
 *
 * <p>Writes come from the write pipeline only, one at a time. Reads take a view and are not
 * disturbed by what follows. Changes of the live files come from the manifest stage.
 */
final class ColumnFamilyStore {

  /** Something that reads over a view. */
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
   * Writes of before this truncation are void. While it is greater than the definition's the
   * truncation is under way, and writes of after it have to wait.
   */
  private volatile long truncatedBefore;

  private volatile boolean dropped;
  private volatile boolean unlogged;
  private volatile boolean closed;

  /**
   * A store over the files that the manifest names.
   *
   * @param lastGeneration the greatest generation that was ever used
   * @param rowCacheBytes what the row cache could make use of; 0 for none
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
   * Takes over options that changed; identity and order are the same. From the write pipeline only,
   * so that no write comes between a row cache and its successor.
   *
   * @param rowCacheBytes what the row cache could make use of; one with another wish begins empty
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

  /** The truncation before which writes are void. */
  long truncatedBefore() {
    return truncatedBefore;
  }

  /** Begins a truncation, or takes it back. */
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

  /** What the row cache could make use of; it has that or less. */
  long rowCacheWish() {
    return rowCaching.bytes();
  }

  RowCache<CachedRow> rowCache() {
    return rowCaching.rows();
  }

  boolean cachesRows() {
    return rowCaching.bytes() > 0;
  }

  FamilyVersion view() {
    return view;
  }

  boolean isDropped() {
    return dropped;
  }

  /** No flush or compaction of this family begins any more. */
  void drop() {
    dropped = true;
  }

  /** Gives the files back; nothing is read any more. */
  void close() {
    closed = true;
    for (SSTable table : view.tables()) {
      table.release();
    }
  }

  /** Changes the view. Rare: writes and reads only look at it. */
  synchronized void updateView(UnaryOperator<FamilyVersion> change) {
    view = change.apply(view);
  }

  /** Holds the files of the present view while {@code read} runs. */
  <T> T withView(ViewRead<T> read) throws IOException {
    FamilyVersion held = retainView();
    try {
      return read.read(held);
    } finally {
      release(held);
    }
  }

  /** Gives back the files of {@link #retainView}. */
  static void release(FamilyVersion held) {
    for (SSTable table : held.tables()) {
      table.release();
    }
  }

  /** The files of the present view, each with a reference that is the caller's; no memtables. */
  FamilyVersion holdTables() {
    FamilyVersion current = retainView();
    return new FamilyVersion(newMemtable(), List.of(), current.tables(), current.quarantined());
  }

  /**
   * Holds the files of the present view until {@link #release}, for work of several steps.
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
      // A file went away between looking and holding, so there is a newer view without it.
      for (SSTable table : candidate.tables().subList(0, retained)) {
        table.release();
      }
    }
  }

  /**
   * Works out what an update makes of its row in memory; see {@link Memtable#prepare}. From the
   * write pipeline only.
   */
  RowState prepare(RowKey key, RowUpdate update) {
    return view.active().prepare(key, update);
  }

  /** What is prepared next for that row builds on this. From the write pipeline only. */
  void stage(RowKey key, RowState prepared) {
    view.active().stage(key, prepared);
  }

  /** What was staged counts no more. From the write pipeline only. */
  void forgetPrepared() {
    view.active().forgetPrepared();
  }

  /** Shows readers an update that was prepared. From the write pipeline only. */
  void publish(RowKey key, RowUpdate update, RowState prepared) {
    view.active().publish(key, update, prepared, clock.monotonicNanos());
    followInCache(key, update);
  }

  /** A cached row has more names than the memtable: what comparing them throws costs the row. */
  private void followInCache(RowKey key, RowUpdate update) {
    RowCache<CachedRow> cache = rowCaching.rows();
    try {
      cache.update(key, row -> row == null ? null : row.followed(update, order()));
    } catch (RuntimeException | Error e) {
      cache.remove(key);
      Errors.report("a row was dropped from the row cache, since it could not follow a write", e);
    }
  }

  /** Applies an update at once, while nothing is prepared. */
  void apply(RowKey key, RowUpdate update) {
    publish(key, update, prepare(key, update));
  }

  /** Something was written that is not in the log. From the write pipeline only. */
  void noteUnlogged() {
    unlogged = true;
  }

  /** Whether anything was ever written that is not in the log, and so is in memory alone. */
  boolean hasUnlogged() {
    return unlogged;
  }

  /** Why the active memtable should go to disk now, if it should. */
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
   * Starts a new memtable; the old one covers the log up to {@code reached}. From the write
   * pipeline only.
   */
  void switchMemtable(LogPosition reached, FlushReason reason) {
    Memtable fresh = newMemtable();
    updateView(
        current -> current.active().isEmpty() ? current : current.switched(fresh, reached, reason));
  }

  /** Forgets all memtables of a family that was dropped; the files go by the manifest. */
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

  /** Claims the one flush that may run; null if there is one already. */
  @Nullable Claim beginFlush() {
    return flush.claim();
  }

  /** The merges that run. */
  RunningMerges merges() {
    return merges;
  }

  /** Rows of other nodes are on their way into files: until they are here no deletion may go. */
  Claim beginIngest() {
    return ingests.take();
  }

  /** A merge of everything waits for its turn; meanwhile no other one begins. */
  Claim beginPendingCompaction() {
    return pendingMajorCompactions.take();
  }

  /** How many merges of everything wait for the one that runs. */
  int pendingMajorCompactions() {
    return pendingMajorCompactions.taken();
  }

  /** What is claimed now, in words; empty while the family is at rest. */
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

  /** Grows with each truncation. */
  int truncations() {
    return truncations.get();
  }

  /** Everything older is gone. From the manifest stage only. */
  void noteTruncated() {
    truncations.incrementAndGet();
  }

  /**
   * The timestamp below which a deletion of the row hides nothing outside the given files:
   * everything else that may hold the row is younger.
   */
  long purgeableBelow(RowKey key, Set<SSTable> merged) {
    if (ingests.taken() > 0) {
      // What is on its way may have been read before the deletion was made.
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
      // It may be restored, and then what it holds must still be hidden.
      if (file.extent().mightHold(key)) {
        oldest = Math.min(oldest, file.extent().minTimestamp());
      }
    }
    return oldest;
  }

  /** A row cache, and what it could make use of. */
  private record RowCaching(RowCache<CachedRow> rows, long bytes) {
    static RowCaching of(long bytes) {
      return new RowCaching(new RowCache<>(bytes, CachedRow::weight), bytes);
    }
  }
}
