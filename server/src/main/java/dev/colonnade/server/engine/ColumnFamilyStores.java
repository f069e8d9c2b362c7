package dev.colonnade.server.engine;

import dev.colonnade.server.engine.PreparedMutation.PreparedRow;
import dev.colonnade.server.model.FamilyId;
import dev.colonnade.server.model.LogPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All open column families, as the write pipeline sees them: applies mutations and notices when a
 * memtable has had enough. Thread-safe, except that the methods of {@link WritePipeline.Target}
 * belong to the pipeline.
 */
final class ColumnFamilyStores implements WritePipeline.Target {

  private static final Logger LOG = LoggerFactory.getLogger(ColumnFamilyStores.class);

  /** What is asked for when a memtable was switched or the log failed. */
  interface Listener {
    /** The family has something to flush. */
    void flushWanted(ColumnFamilyStore store);

    /** The commit log wants these families flushed. */
    List<FamilyId> pinningLog();

    /** The log took a record of a family that is not open any more. */
    void notOpen(FamilyId family);

    /** Writing is over. */
    void logFailed(IOException cause);
  }

  /** How many bytes may come before sums over all families are taken again. */
  private static final long CHECK_EVERY_BYTES = 1 << 20;

  private final ConcurrentHashMap<FamilyId, ColumnFamilyStore> stores = new ConcurrentHashMap<>();
  private final List<ColumnFamilyStore> dirty = new ArrayList<>();

  /** The mutation that was prepared last, if it was not staged yet. Of the pipeline. */
  private @Nullable PreparedMutation latest;

  /** Where something is staged. Of the pipeline. */
  private final Set<ColumnFamilyStore> staged = new LinkedHashSet<>();

  private final long memtableBytesMax;
  private final long rowCacheBytesMax;
  private @Nullable Listener listener;
  private long bytesSinceCheck;
  private volatile boolean full;

  /**
   * None.
   *
   * @param memtableBytesMax heap of all memtables together
   * @param rowCacheBytesMax heap of all row caches together
   */
  ColumnFamilyStores(long memtableBytesMax, long rowCacheBytesMax) {
    this.memtableBytesMax = memtableBytesMax;
    this.rowCacheBytesMax = rowCacheBytesMax;
  }

  void listen(Listener to) {
    this.listener = to;
  }

  void add(ColumnFamilyStore store) {
    stores.put(store.id(), store);
    divideRowCaches();
  }

  Optional<ColumnFamilyStore> remove(FamilyId id) {
    Optional<ColumnFamilyStore> removed = Optional.ofNullable(stores.remove(id));
    divideRowCaches();
    return removed;
  }

  /**
   * Divides the heap for row caches among the families that have one: as much as each could use, or
   * the same part of that, where it is too much together. One at a time, so that an older division
   * is not made over a newer one.
   */
  synchronized void divideRowCaches() {
    double wished = 0;
    for (ColumnFamilyStore store : stores.values()) {
      wished += store.rowCacheWish();
    }
    double part = wished <= rowCacheBytesMax ? 1 : rowCacheBytesMax / wished;
    for (ColumnFamilyStore store : stores.values()) {
      store.rowCache().resize((long) (part * store.rowCacheWish()));
    }
  }

  @Nullable ColumnFamilyStore find(FamilyId id) {
    return stores.get(id);
  }

  /** All of them, in a fixed order. */
  List<ColumnFamilyStore> all() {
    List<ColumnFamilyStore> all = new ArrayList<>(stores.values());
    all.sort(Comparator.comparing(ColumnFamilyStore::id));
    return all;
  }

  /** Whether memtables take so much heap that writes must wait for the disk. */
  boolean isFull() {
    return full;
  }

  /** Looks again, after a flush; one at a time, so that no older sum is published over a newer. */
  synchronized void checkFull() {
    full = memtableBytes() > memtableBytesMax;
  }

  private long memtableBytes() {
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
      // Whether the truncation will stand is not known yet: neither yes nor void can be said.
      throw new TruncationPendingException(part.family(), store.truncatedBefore());
    }
    return false;
  }

  /** A mutation was taken; any thread. */
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

  /** What comes next builds on it. Left until then, since most writes are alone in their turn. */
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
      // A family that was dropped while the mutation waited takes its rows with it.
      if (store != null) {
        if (row != null && row.store() == store) {
          store.publish(mutation.key(), part.update(), row.state());
        } else {
          // It was opened meanwhile, so nothing else is prepared for it.
          store.apply(mutation.key(), part.update());
        }
        if (!logged) {
          store.noteUnlogged();
        }
        if (!dirty.contains(store)) {
          dirty.add(store);
        }
      } else if (listener != null) {
        listener.notOpen(part.family());
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
   * Flushes for the sake of all: the largest memtables when heap runs short, the oldest data when
   * the log is long. In order with the mutations.
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
   * What to flush to bring the active memtables below half of their bound, the largest first. As
   * many as it takes: with many families of equal size, the largest alone is next to nothing.
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
    if (listener == null) {
      return;
    }
    for (FamilyId id : listener.pinningLog()) {
      ColumnFamilyStore store = stores.get(id);
      // What is on its way already is what pins; another flush would only make a tiny file.
      if (store != null && store.view().flushing().isEmpty()) {
        flush(store, reached, FlushReason.DEMAND);
      }
    }
  }

  /**
   * Flushes whatever has come of age, and what memory and log need. In order with the mutations.
   */
  void flushDue(LogPosition reached) {
    for (ColumnFamilyStore store : all()) {
      store.flushDue().ifPresent(reason -> flush(store, reached, reason));
    }
    relieve(reached);
  }

  /** Switches the family's memtable and asks for the flush. In order with the mutations. */
  void flush(ColumnFamilyStore store, LogPosition reached, FlushReason reason) {
    store.switchMemtable(reached, reason);
    if (listener != null) {
      listener.flushWanted(store);
    }
  }

  @Override
  public void logFailed(IOException cause) {
    LOG.error(
        "the commit log failed: no more writes are taken. What was acknowledged is in it; check the"
            + " disk, then restart the node",
        cause);
    if (listener != null) {
      listener.logFailed(cause);
    }
  }
}
