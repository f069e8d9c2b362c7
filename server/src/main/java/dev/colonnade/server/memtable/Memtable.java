package dev.colonnade.server.memtable;

import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.PathOrder;
import dev.colonnade.server.model.RangeDeletion;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.model.RowUpdate;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The recent writes of one column family. {@link #apply} belongs to one writer at a time, with
 * whatever orders writers also publishing what they wrote to each other; all else is thread-safe.
 */
public final class Memtable {

  /** Rough cost of a row's key, map node and holder on a 64-bit heap, beyond the key's bytes. */
  private static final int ROW_OVERHEAD_BYTES = 200;

  private final PathOrder order;
  private final ConcurrentSkipListMap<RowKey, MemtableRow> rows = new ConcurrentSkipListMap<>();
  private volatile long heapBytes;
  private volatile long operations;
  private volatile long minTimestamp = Long.MAX_VALUE;
  private volatile long firstWriteNanos;

  /** An empty memtable. */
  public Memtable(PathOrder order) {
    this.order = order;
  }

  /**
   * Merges an update into its row; readers see all of it or none.
   *
   * @param nowSeconds judges ties that expiry decides
   * @param nowNanos of the monotonic clock; the first one is where the memtable's age counts from
   * @return the row as it is now
   */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer at a time; volatile is for the readers
  public RowState apply(RowKey key, RowUpdate update, long nowSeconds, long nowNanos) {
    if (operations == 0) {
      firstWriteNanos = nowNanos;
    }
    MemtableRow row = rows.get(key);
    RowState before = row == null ? RowState.EMPTY : row.state();
    RowState after = before.apply(update, order, nowSeconds);
    long grown = after.heapBytes() - before.heapBytes();
    if (row == null) {
      rows.put(key, new MemtableRow(after));
      grown += ROW_OVERHEAD_BYTES + key.key().length + key.token().length;
    } else {
      row.become(after);
    }
    heapBytes += grown;
    operations += update.operations();
    long smallest = smallestTimestamp(update);
    if (smallest < minTimestamp) {
      minTimestamp = smallest;
    }
    return after;
  }

  private static long smallestTimestamp(RowUpdate update) {
    long smallest = Long.MAX_VALUE;
    for (Cell cell : update.cells()) {
      smallest = Math.min(smallest, cell.timestamp());
    }
    for (RangeDeletion range : update.ranges()) {
      smallest = Math.min(smallest, range.deletion().timestamp());
    }
    return update.rowDeletion().isNone()
        ? smallest
        : Math.min(smallest, update.rowDeletion().timestamp());
  }

  /** What is known of a row here, or null if nothing is. */
  public @Nullable RowState row(RowKey key) {
    MemtableRow row = rows.get(key);
    return row == null ? null : row.state();
  }

  /** The rows from {@code from} (included) on, ascending; the view follows later writes. */
  public Iterable<Map.Entry<RowKey, MemtableRow>> rowsFrom(RowKey from) {
    return rows.tailMap(from, true).entrySet();
  }

  /**
   * The first key at or after {@code from}, or behind it when {@code from} is excluded; null at the
   * end.
   */
  public @Nullable RowKey keyFrom(RowKey from, boolean included) {
    return included ? rows.ceilingKey(from) : rows.higherKey(from);
  }

  /** All rows, ascending; for flushing, when no writer is left. */
  public ConcurrentNavigableMap<RowKey, MemtableRow> rows() {
    return rows;
  }

  /** Whether nothing was ever written here. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** How many rows there are; counting takes time in proportion. */
  public int rowCount() {
    return rows.size();
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
