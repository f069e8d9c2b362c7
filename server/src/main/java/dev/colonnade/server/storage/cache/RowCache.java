package dev.colonnade.server.storage.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.colonnade.server.base.model.RowKey;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Merged rows of one column family, kept current with the writes to them ("touch" cache), weighed
 * in bytes.
 *
 * <p>Loading and writing are coordinated as follows. A reader first calls {@link #begin}, then
 * reads memtable and files, then offers the merged row to {@link #complete}. A writer first applies
 * its write to the memtable, then calls {@link #update}. If the write came in between, {@code
 * update} withdrew the reader's permission and {@code complete} keeps nothing; if the reader saw
 * the write already, it is applied a second time, which changes nothing because merging is
 * idempotent. So a row that misses a write is never kept.
 *
 * <p>Thread-safe.
 *
 * @param <V> an immutable row
 */
public final class RowCache<V> {

  /** The permission to keep a row that is being loaded; void once the row is written or evicted. */
  public static final class Loading {
    private final RowKey key;

    private Loading(RowKey key) {
      this.key = key;
    }
  }

  private static final int ENTRY_OVERHEAD_BYTES = 160;

  /** Values are either a {@link Loading} or a {@code V}. */
  private final Cache<RowKey, Object> rows;

  private volatile long capacityBytes;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  /**
   * Creates an empty cache.
   *
   * @param capacityBytes of heap; 0 keeps nothing
   * @param weigher bytes of heap that a row takes
   */
  public RowCache(long capacityBytes, ToIntFunction<V> weigher) {
    this.capacityBytes = capacityBytes;
    this.rows =
        Caffeine.newBuilder()
            .maximumWeight(capacityBytes)
            .weigher((RowKey key, Object entry) -> weigh(key, entry, weigher))
            .executor(Runnable::run)
            .evictionListener(
                (@Nullable RowKey key, @Nullable Object entry, RemovalCause cause) ->
                    evictions.increment())
            .build();
  }

  /**
   * Changes the capacity; rows that no longer fit are dropped.
   *
   * @param bytes of heap; 0 keeps nothing
   */
  public void resize(long bytes) {
    if (bytes != capacityBytes) {
      capacityBytes = bytes;
      rows.policy().eviction().orElseThrow().setMaximum(bytes);
    }
  }

  /** Whether it keeps nothing. */
  public boolean isOff() {
    return capacityBytes == 0;
  }

  /** Returns the row, or null if it is not cached or still loading. */
  public @Nullable V find(RowKey key) {
    Object entry = rows.getIfPresent(key);
    if (entry == null || entry instanceof Loading) {
      misses.increment();
      return null;
    }
    hits.increment();
    return row(entry);
  }

  /**
   * Announces that a row is about to be read from memtable and files; a cached row is dropped. Of
   * several readers of one row the last to begin may keep it.
   */
  public Loading begin(RowKey key) {
    Loading loading = new Loading(key);
    if (capacityBytes > 0) {
      rows.put(key, loading);
    }
    return loading;
  }

  /** Keeps the row if nothing was written to it since {@link #begin}; returns whether it did. */
  public boolean complete(Loading loading, V row) {
    return rows.asMap().replace(loading.key, loading, row);
  }

  /** Withdraws a permission that will not be used. */
  public void abandon(Loading loading) {
    rows.asMap().remove(loading.key, loading);
  }

  /**
   * Follows a write that has reached the memtable: a cached row is replaced by the result of {@code
   * change} (null drops it), one that is loading will not be kept.
   */
  public void update(RowKey key, UnaryOperator<@Nullable V> change) {
    rows.asMap()
        .computeIfPresent(
            key, (same, entry) -> entry instanceof Loading ? null : change.apply(row(entry)));
  }

  /** Drops one row, or the permission to keep it. */
  public void remove(RowKey key) {
    rows.asMap().remove(key);
  }

  /** Drops everything, permissions included. */
  public void clear() {
    rows.invalidateAll();
  }

  /** Figures since start; the entries and weight are approximate while the cache is in use. */
  public CacheFigures figures() {
    long weight =
        rows.policy().eviction().map(Policy.Eviction::weightedSize).orElseThrow().orElse(0);
    return new CacheFigures(
        hits.sum(), misses.sum(), evictions.sum(), rows.estimatedSize(), weight, capacityBytes);
  }

  /** Every value that is no permission was put in by {@link #complete} or {@link #update}. */
  @SuppressWarnings("unchecked")
  private V row(Object entry) {
    return (V) entry;
  }

  private int weigh(RowKey key, Object entry, ToIntFunction<V> weigher) {
    int own = ENTRY_OVERHEAD_BYTES + key.key().length + key.token().length;
    return entry instanceof Loading ? own : Math.addExact(own, weigher.applyAsInt(row(entry)));
  }
}
