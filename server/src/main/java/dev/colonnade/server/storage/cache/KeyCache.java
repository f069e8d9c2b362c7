package dev.colonnade.server.storage.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.colonnade.server.base.model.RowKey;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The positions of rows in their data files, by file and row key. Bounded by entries; a key longer
 * than 256 bytes counts once for each 256 bytes begun.
 *
 * <p>Thread-safe.
 */
public final class KeyCache {

  private record RowId(long file, RowKey key) {}

  private static final int KEY_BYTES_PER_ENTRY = 256;

  private final Cache<RowId, Long> positions;
  private volatile long capacity;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  /**
   * Creates an empty cache.
   *
   * @param capacity in entries; 0 keeps nothing
   */
  public KeyCache(long capacity) {
    this.capacity = capacity;
    this.positions =
        Caffeine.newBuilder()
            .maximumWeight(capacity)
            .weigher((RowId id, Long position) -> 1 + bytesOf(id.key()) / KEY_BYTES_PER_ENTRY)
            .executor(Runnable::run)
            .evictionListener(
                (@Nullable RowId id, @Nullable Long position, RemovalCause cause) ->
                    evictions.increment())
            .build();
  }

  /** The position kept for that row of that file, or -1. */
  public long find(long file, RowKey key) {
    @Nullable Long position = positions.getIfPresent(new RowId(file, key));
    (position != null ? hits : misses).increment();
    return position != null ? position : -1;
  }

  /** Keeps a position that was just found. */
  public void put(long file, RowKey key, long position) {
    if (capacity > 0) {
      positions.put(new RowId(file, key), position);
    }
  }

  /**
   * Changes the capacity; positions that no longer fit are dropped before this returns.
   *
   * @param entries 0 keeps nothing
   */
  public void resize(long entries) {
    capacity = entries;
    positions.policy().eviction().orElseThrow().setMaximum(entries);
  }

  /** Figures since start; the entries and weight are approximate while the cache is in use. */
  public CacheFigures figures() {
    long weight =
        positions.policy().eviction().map(Policy.Eviction::weightedSize).orElseThrow().orElse(0);
    return new CacheFigures(
        hits.sum(), misses.sum(), evictions.sum(), positions.estimatedSize(), weight, capacity);
  }

  private static int bytesOf(RowKey key) {
    return key.key().length + key.token().length;
  }
}
