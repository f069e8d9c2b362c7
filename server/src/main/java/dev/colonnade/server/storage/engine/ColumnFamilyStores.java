package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.storage.engine.PreparedMutation.PreparedRow;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All open column families, as the write pipeline sees them. Applies mutations, and switches
 * memtables that are due for a flush: by size or age, when the heap runs short, or when they keep
 * old log segments alive.
 *
 * <ul>
 *   <li>Memtables are written and switched in order with the mutations, on the thread that drains
 *       the pipeline.
 *   <li>A prepared mutation becomes visible to readers only when it is published, which follows the
 *       write of the log.
 *   <li>A record for a family that was dropped meanwhile is left out.
 * </ul>
 *
 * <p>Thread-safe, except that the methods of {@link MutationApplier} belong to the pipeline.
 */
final class ColumnFamilyStores implements MutationApplier {

  private static final Logger LOG = LoggerFactory.getLogger(ColumnFamilyStores.class);

  /** The commit log, as far as memtables and it depend on each other. */
  interface Log {
    /** Returns the families whose unflushed data keep the oldest log segment alive. */
    List<FamilyId> pinningLog();

    /** The log took a record of a family that is no longer open. */
    void notOpen(FamilyId family);

    /** The log failed: no further writes are possible. */
    void logFailed(IOException cause);
  }

  /** How many bytes are written before totals over all families are computed again. */
  private static final long CHECK_EVERY_BYTES = 1 << 20;

  private final ConcurrentHashMap<FamilyId, ColumnFamilyStore> stores = new ConcurrentHashMap<>();
  private final List<ColumnFamilyStore> dirty = new ArrayList<>();

  /** The mutation that was prepared last, if it is not staged yet. Belongs to the pipeline. */
  private @Nullable PreparedMutation latest;

  /** The stores that have staged updates. Belongs to the pipeline. */
  private final Set<ColumnFamilyStore> staged = new LinkedHashSet<>();

  private volatile long memtableBytesMax;

  /** Guarded by this. */
  private long rowCacheBytesMax;

  private final FlushProgress progress;
  private @Nullable Log log;
  private Consumer<ColumnFamilyStore> flushWanted = store -> {};
  private long bytesSinceCheck;
  private volatile boolean full;

  /**
   * Starts with no families.
   *
   * @param memtableBytesMax heap of all memtables together
   * @param rowCacheBytesMax heap of all row caches together
   */
  ColumnFamilyStores(long memtableBytesMax, long rowCacheBytesMax, Clock clock) {
    this.memtableBytesMax = memtableBytesMax;
    this.rowCacheBytesMax = rowCacheBytesMax;
    this.progress = new FlushProgress(clock);
  }

  /**
   * Connects the stores with what serves them; nothing is flushed before.
   *
   * @param flushes told which family has something to flush
   * @param stepsOfFlushes changes with every step of a flush
   */
  void connect(Log commitLog, Consumer<ColumnFamilyStore> flushes, LongSupplier stepsOfFlushes) {
    this.log = commitLog;
    this.flushWanted = flushes;
    progress.follow(stepsOfFlushes);
  }

  /** Adds stores. Takes time for each store that there is already, so add many at once. */
  void addAll(Collection<ColumnFamilyStore> added) {
    added.forEach(store -> stores.put(store.id(), store));
    divideRowCaches();
  }

  Optional<ColumnFamilyStore> remove(FamilyId id) {
    Optional<ColumnFamilyStore> removed = Optional.ofNullable(stores.remove(id));
    divideRowCaches();
    return removed;
  }

  /** Changes the heap of all memtables together; what is too much now is flushed by the caller. */
  void memtableBytesMax(long changed) {
    memtableBytesMax = changed;
  }

  /** Changes the heap of all row caches together; rows that do not fit any more are dropped. */
  synchronized void rowCacheBytesMax(long changed) {
    rowCacheBytesMax = changed;
    divideRowCaches();
  }

  /**
   * Divides the heap for row caches among the families that have one: each gets as much as it could
   * use, or the same fraction of that if the total is too large. Synchronized so that an older
   * division does not overwrite a newer one.
   */
  synchronized void divideRowCaches() {
    double wished = 0;
    for (ColumnFamilyStore store : stores.values()) {
      wished += Math.min(store.rowCacheWish(), rowCacheBytesMax);
    }
    double part = wished <= rowCacheBytesMax ? 1 : rowCacheBytesMax / wished;
    for (ColumnFamilyStore store : stores.values()) {
      store.rowCache().resize((long) (part * Math.min(store.rowCacheWish(), rowCacheBytesMax)));
    }
  }

  @Nullable ColumnFamilyStore find(FamilyId id) {
    return stores.get(id);
  }

  /** Returns all stores in a fixed order. */
  List<ColumnFamilyStore> all() {
    List<ColumnFamilyStore> all = new ArrayList<>(stores.values());
    all.sort(Comparator.comparing(ColumnFamilyStore::id));
    return all;
  }

  @Override
  public boolean isFull() {
    return full;
  }

  @Override
  public boolean isStuck() {
    return full && progress.isStill(RoomWait.STILL_LIMIT);
  }

  /**
   * Checks again after a flush; synchronized so that an older total does not overwrite a newer one.
   */
  synchronized void checkFull() {
    boolean isFull = memtableBytes() > memtableBytesMax;
    if (isFull && !full) {
      progress.begin();
    }
    full = isFull;
  }

  @Override
  public boolean hasRoom(LogPosition reached) {
    if (full) {
      relieve(reached);
    }
    return !full;
  }

  /** What a write is refused with if it does not get room in time. */
  static OverloadedException noRoom() {
    return new OverloadedException("the heap for memtables that wait for the disk");
  }

  /** The heap of all memtables together. */
  long memtableBytes() {
    long bytes = 0;
    for (ColumnFamilyStore store : stores.values()) {
      bytes += store.view().memtableBytes();
    }
    return bytes;
  }

  @Override
  public Mutation admit(Mutation mutation) {
    List<Mutation.FamilyMutation> parts = mutation.updates();
    for (int i = 0; i < parts.size(); i++) {
      if (isTruncated(parts.get(i))) {
        return new Mutation(
            mutation.key(),
            parts.stream().filter(part -> !isTruncated(part)).toList(),
            mutation.nowSeconds());
      }
    }
    return mutation;
  }

  private boolean isTruncated(Mutation.FamilyMutation part) {
    ColumnFamilyStore store = stores.get(part.family());
    if (store == null) {
      return false;
    }
    if (part.truncation() > store.definition().truncation()) {
      throw new TruncationPendingException(part.family(), part.truncation());
    }
    if (part.truncation() < store.definition().truncation()) {
      return true;
    }
    if (part.truncation() < store.truncatedBefore()) {
      // It is not known yet whether the truncation will stand, so the write can be neither accepted
      // nor declared void.
      throw new TruncationPendingException(part.family(), store.truncatedBefore());
    }
    return false;
  }

  /** Counts a mutation that was accepted; callable from any thread. */
  void wrote(Mutation mutation, long nanos) {
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamilyStore store = stores.get(part.family());
      if (store != null) {
        store.counters().wrote(nanos);
      }
    }
  }

  @Override
  public PreparedMutation prepare(Mutation mutation) {
    stageLatest();
    List<@Nullable PreparedRow> rows = new ArrayList<>(mutation.updates().size());
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamilyStore store = stores.get(part.family());
      rows.add(
          store == null
              ? null
              : new PreparedRow(store, store.prepare(mutation.key(), part.update())));
    }
    PreparedMutation prepared = new PreparedMutation(mutation, rows);
    latest = prepared;
    return prepared;
  }

  /**
   * Stages the last prepared mutation so that the next one builds on it. Deferred until then,
   * because most writes are alone in their turn.
   */
  private void stageLatest() {
    PreparedMutation before = latest;
    if (before == null) {
      return;
    }
    latest = null;
    for (PreparedRow row : before.rows()) {
      if (row != null) {
        row.store().stage(before.mutation().key(), row.state());
        staged.add(row.store());
      }
    }
  }

  @Override
  public void forgetPrepared() {
    latest = null;
    if (!staged.isEmpty()) {
      staged.forEach(ColumnFamilyStore::forgetPrepared);
      staged.clear();
    }
  }

  @Override
  public void publish(PreparedMutation prepared, boolean logged) {
    Mutation mutation = prepared.mutation();
    for (int i = 0; i < prepared.rows().size(); i++) {
      Mutation.FamilyMutation part = mutation.updates().get(i);
      PreparedRow row = prepared.rows().get(i);
      ColumnFamilyStore store = stores.get(part.family());
      // If the family was dropped while the mutation waited, its rows are dropped with it.
      if (store != null) {
        if (row != null && row.store() == store) {
          store.publish(mutation.key(), part.update(), row.state());
        } else {
          // The family was opened meanwhile, so nothing else is prepared for it.
          store.apply(mutation.key(), part.update());
        }
        if (!logged) {
          store.noteUnlogged();
        }
        if (!dirty.contains(store)) {
          dirty.add(store);
        }
      } else if (log != null) {
        log.notOpen(part.family());
      }
    }
    bytesSinceCheck += mutation.payloadBytes();
  }

  @Override
  public void afterTurn(LogPosition reached) {
    for (ColumnFamilyStore store : dirty) {
      store.flushDue().ifPresent(reason -> flush(store, reached, reason));
    }
    dirty.clear();
    if (bytesSinceCheck >= CHECK_EVERY_BYTES) {
      bytesSinceCheck = 0;
      relieve(reached);
    }
  }

  /**
   * Flushes to relieve the whole store: the largest memtables when the heap runs short, the oldest
   * data when the log is long. In order with the mutations.
   */
  void relieve(LogPosition reached) {
    checkFull();
    flushLargest(reached);
    flushPinning(reached);
  }

  private void flushLargest(LogPosition reached) {
    for (ColumnFamilyStore store : toRelieve()) {
      flush(store, reached, FlushReason.SIZE);
    }
  }

  /**
   * Returns what to flush to bring the active memtables below half of their bound, the largest
   * first. Returns several if needed: with many families of equal size, the largest alone frees
   * next to nothing.
   */
  List<ColumnFamilyStore> toRelieve() {
    List<ColumnFamilyStore> largestFirst = all();
    largestFirst.sort(
        Comparator.comparingLong((ColumnFamilyStore store) -> store.view().active().heapBytes())
            .reversed());
    long active = 0;
    for (ColumnFamilyStore store : largestFirst) {
      active += store.view().active().heapBytes();
    }
    List<ColumnFamilyStore> chosen = new ArrayList<>();
    for (ColumnFamilyStore store : largestFirst) {
      if (active <= memtableBytesMax / 2) {
        break;
      }
      active -= store.view().active().heapBytes();
      chosen.add(store);
    }
    return chosen;
  }

  private void flushPinning(LogPosition reached) {
    if (log == null) {
      return;
    }
    for (FamilyId id : log.pinningLog()) {
      ColumnFamilyStore store = stores.get(id);
      // Data that pins the log is being flushed already; another flush would only make a tiny file.
      if (store != null && store.view().flushing().isEmpty()) {
        flush(store, reached, FlushReason.DEMAND);
      }
    }
  }

  /**
   * Flushes memtables that are old enough, and those that memory and log require. In order with the
   * mutations.
   */
  void flushDue(LogPosition reached) {
    for (ColumnFamilyStore store : all()) {
      store.flushDue().ifPresent(reason -> flush(store, reached, reason));
    }
    relieve(reached);
  }

  /** Describes the claims on all stores; empty once all is at rest. */
  List<String> claims() {
    List<String> claims = new ArrayList<>();
    for (ColumnFamilyStore store : all()) {
      for (String claim : store.claims()) {
        claims.add(store.definition().qualifiedName() + ": " + claim);
      }
    }
    return claims;
  }

  /** Switches the family's memtable and requests the flush. In order with the mutations. */
  void flush(ColumnFamilyStore store, LogPosition reached, FlushReason reason) {
    store.switchMemtable(reached, reason);
    flushWanted.accept(store);
  }

  @Override
  public void logFailed(IOException cause) {
    LOG.error(
        "the commit log failed: no more writes are accepted. Acknowledged writes are in it; check"
            + " the disk, then restart the node",
        cause);
    if (log != null) {
      log.logFailed(cause);
    }
  }
}
