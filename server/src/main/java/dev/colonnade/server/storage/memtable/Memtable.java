package dev.colonnade.server.storage.memtable;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellNamePool;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The recent writes of one column family, sorted, in memory.
 *
 * <p>A write has two steps, so that a comparator's exception is known before anything is done that
 * cannot be undone: {@link #prepare} computes the new state of the row, and makes all comparisons
 * of names; {@link #publish} makes it visible to readers, and compares nothing. Several writes may
 * be prepared before the first is published; they build on each other, and are published in the
 * same order or dropped with {@link #forgetPrepared}.
 *
 * <p>Writing belongs to one thread at a time, and whatever orders the writers must also make their
 * writes visible to each other; everything else is thread-safe.
 */
public final class Memtable {

  /** Rough cost of a row's key, map node and holder on a 64-bit heap, beyond the key's bytes. */
  private static final int ROW_OVERHEAD_BYTES = 240;

  private final PathOrder order;
  private final ConcurrentSkipListMap<RowKey, MemtableRow> rows = new ConcurrentSkipListMap<>();

  /**
   * The same rows by key: one row of some hundred thousand is found with two cache misses, in the
   * sorted map it takes about 18.
   */
  private final ConcurrentHashMap<RowKey, MemtableRow> rowsByKey = new ConcurrentHashMap<>();

  /** Belongs to the writer: rows with the updates that are prepared and not published. */
  private final Map<RowKey, RowState> staged = new HashMap<>();

  /** A row that was looked for when an update of it was prepared; null if it was not there. */
  private record Lookup(RowKey key, @Nullable MemtableRow row) {}

  /** Lookups of updates that are prepared and dropped later: they are not kept for ever. */
  private static final int LOOKUPS_MAX = 1_024;

  /**
   * Belongs to the writer: the rows of prepared updates, in order, to be found once and not twice.
   */
  private final Queue<Lookup> lookups = new ArrayDeque<>();

  /** Belongs to the writer: the column names of rows written lately. */
  private final CellNamePool names = new CellNamePool();

  private volatile long heapBytes;
  private volatile long operations;
  private volatile long minTimestamp = Long.MAX_VALUE;
  private volatile long firstWriteNanos;

  /** Creates an empty memtable. */
  public Memtable(PathOrder order) {
    this.order = order;
  }

  /**
   * Computes what an update makes of its row, on top of those that were {@link #stage}d.
   *
   * @return the row as it would be; nothing has changed yet, also if this throws what a comparator
   *     throws
   */
  public RowState prepare(RowKey key, RowUpdate update) {
    RowState before = staged.isEmpty() ? null : staged.get(key);
    MemtableRow row = null;
    if (before == null) {
      row = rowsByKey.get(key);
      before = row == null ? RowState.EMPTY : row.state();
    }
    RowState prepared = before.apply(update, order, names);
    if (lookups.size() >= LOOKUPS_MAX) {
      lookups.clear();
    }
    lookups.add(new Lookup(key, row));
    return prepared;
  }

  /** Makes updates prepared from now on for the same row build on this one. */
  public void stage(RowKey key, RowState prepared) {
    staged.put(key, prepared);
  }

  /** Discards what was staged. */
  public void forgetPrepared() {
    if (!staged.isEmpty()) {
      staged.clear();
    }
  }

  /**
   * Makes a prepared row visible to readers, all of the update at once.
   *
   * @param update that the row was prepared with
   * @param nowNanos of the monotonic clock; the memtable's age counts from the first one
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time; volatile is for the readers
  public void publish(RowKey key, RowUpdate update, RowState prepared, long nowNanos) {
    if (operations == 0) {
      firstWriteNanos = nowNanos;
    }
    MemtableRow row = lookedUp(key);
    if (row == null) {
      row = add(key, prepared);
    }
    long grown = prepared.heapBytes();
    if (row == null) {
      grown += ROW_OVERHEAD_BYTES + key.key().length + key.token().length;
    } else {
      grown -= row.state().heapBytes();
      row.become(prepared);
    }
    heapBytes += grown;
    operations += update.operations();
    long smallest = smallestTimestamp(update);
    if (smallest < minTimestamp) {
      minTimestamp = smallest;
    }
  }

  /** Adds a row unless it is there; returns what was there. */
  private @Nullable MemtableRow add(RowKey key, RowState state) {
    MemtableRow added = new MemtableRow(state);
    MemtableRow there = rowsByKey.putIfAbsent(key, added);
    if (there == null) {
      rows.put(key, added);
    }
    return there;
  }

  /** The row that was found when the update was prepared; null if there may be none. */
  private @Nullable MemtableRow lookedUp(RowKey key) {
    Lookup lookup = lookups.poll();
    if (lookup == null || !lookup.key().equals(key)) {
      // Updates before this one were prepared and dropped.
      lookups.clear();
      return rowsByKey.get(key);
    }
    return lookup.row();
  }

  /** Prepares and publishes an update; for use while nothing else is prepared. */
  public void apply(RowKey key, RowUpdate update, long nowNanos) {
    publish(key, update, prepare(key, update), nowNanos);
  }

  private static long smallestTimestamp(RowUpdate update) {
    long smallest = Long.MAX_VALUE;
    for (Cell cell : update.cells()) {
      smallest = Math.min(smallest, cell.timestamp());
    }
    for (RangeTombstone range : update.ranges()) {
      smallest = Math.min(smallest, range.deletion().timestamp());
    }
    return update.rowDeletion().isNone()
        ? smallest
        : Math.min(smallest, update.rowDeletion().timestamp());
  }

  /** The state of a row here, or null if the memtable has nothing of it. */
  public @Nullable RowState row(RowKey key) {
    MemtableRow row = rowsByKey.get(key);
    return row == null ? null : row.state();
  }

  /**
   * The first key at or after {@code from}, or behind it when {@code from} is excluded; null at the
   * end.
   */
  public @Nullable RowKey keyFrom(RowKey from, boolean included) {
    return included ? rows.ceilingKey(from) : rows.higherKey(from);
  }

  /**
   * A walk over the rows from {@code from} on, ascending. It may miss rows that are written after
   * it began, and of the others has what was written last.
   */
  public Iterator<Map.Entry<RowKey, MemtableRow>> rowsFrom(RowKey from) {
    return rows.tailMap(from, true).entrySet().iterator();
  }

  /** All rows, ascending; for flushing, when there is no writer any more. */
  public ConcurrentNavigableMap<RowKey, MemtableRow> rows() {
    return rows;
  }

  /** Whether nothing was ever written here. */
  public boolean isEmpty() {
    return rowsByKey.isEmpty();
  }

  /** How many rows there are. */
  public int rowCount() {
    return rowsByKey.size();
  }

  /** About how much heap this takes. */
  public long heapBytes() {
    return heapBytes;
  }

  /** Cells and deletions written, overwritten ones included. */
  public long operations() {
    return operations;
  }

  /** When the first write came, in nanoseconds of the monotonic clock; meaningless while empty. */
  public long firstWriteNanos() {
    return firstWriteNanos;
  }

  /** The smallest timestamp of anything in here; {@link Long#MAX_VALUE} while empty. */
  public long minTimestamp() {
    return minTimestamp;
  }
}
