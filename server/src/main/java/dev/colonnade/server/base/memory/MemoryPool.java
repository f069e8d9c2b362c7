package dev.colonnade.server.base.memory;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Memory that many users share. A user asks before it takes bytes, and gives them back.
 *
 * <p>The limits follow dynamic thresholds (Choudhury and Hahne, "Dynamic Queue Length Thresholds
 * for Shared-Memory Packet Switches", 1998): a share may grow as long as it is no larger than a
 * multiple of what would still be free. One greedy share alone gets half of the pool; n of them get
 * equal parts, and as much as one part stays free for others. No share needs to know how many there
 * are, and unused memory is available to the one that needs it.
 *
 * <p>Thread-safe; nothing waits. Two that ask at the same moment for the last bytes may both be
 * refused, never both be granted.
 */
public final class MemoryPool {

  private final long capacityBytes;
  private final long guaranteedBytes;
  private final AtomicLong used = new AtomicLong();
  private final Map<MemoryUse, LongAdder> usedFor = adders();
  private final Map<MemoryUse, LongAdder> refusals = adders();

  /**
   * Creates an unused pool.
   *
   * @param capacityBytes of all shares together
   * @param guaranteedBytes what a share may hold as long as the pool has room at all, so that a
   *     small request is not refused because of large ones
   */
  public MemoryPool(long capacityBytes, long guaranteedBytes) {
    if (capacityBytes < 1 || guaranteedBytes < 0 || guaranteedBytes > capacityBytes) {
      throw new IllegalArgumentException(
          "a pool of " + capacityBytes + " bytes, of which a share is sure of " + guaranteedBytes);
    }
    this.capacityBytes = capacityBytes;
    this.guaranteedBytes = guaranteedBytes;
  }

  private static Map<MemoryUse, LongAdder> adders() {
    Map<MemoryUse, LongAdder> adders = new EnumMap<>(MemoryUse.class);
    for (MemoryUse use : MemoryUse.values()) {
      adders.put(use, new LongAdder());
    }
    return adders;
  }

  private static LongAdder of(Map<MemoryUse, LongAdder> adders, MemoryUse use) {
    return Objects.requireNonNull(adders.get(use));
  }

  /** Creates a pool that never refuses; for tests, and where something else sets the bounds. */
  public static MemoryPool unbounded() {
    return new MemoryPool(Long.MAX_VALUE / 4, Long.MAX_VALUE / 4);
  }

  /**
   * Creates an empty share.
   *
   * @param weight how many times the free bytes it may hold; 1 for a connection of a client
   */
  public PoolShare share(int weight) {
    if (weight < 1) {
      throw new IllegalArgumentException("a share weighs at least 1, not " + weight);
    }
    return new PoolShare(this, weight);
  }

  /** The most that all shares together may hold. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** What all shares together hold now. */
  public long usedBytes() {
    return used.get();
  }

  /** What is held now for that use. */
  public long usedBytes(MemoryUse use) {
    return of(usedFor, use).sum();
  }

  /** How many requests for that use were refused, since start. */
  public long refusals(MemoryUse use) {
    return of(refusals, use).sum();
  }

  /** Counts a request for that use that was refused by a bound outside of the pool. */
  public void countRefusal(MemoryUse use) {
    of(refusals, use).increment();
  }

  /** The most that a share of that weight could hold if it had the pool for itself. */
  public long largestBytes(int weight) {
    return Math.max(guaranteedBytes, capacityBytes / (weight + 1) * weight);
  }

  /** The memory that one connection or one peer holds of the pool. Thread-safe. */
  public static final class PoolShare {
    private final MemoryPool pool;
    private final int weight;
    private final AtomicLong mine = new AtomicLong();

    private PoolShare(MemoryPool pool, int weight) {
      this.pool = pool;
      this.weight = weight;
    }

    /**
     * Asks for bytes; they are held until {@link #release}.
     *
     * @return false if they would be too many; nothing is held then
     */
    public boolean reserve(MemoryUse use, long bytes) {
      long held = mine.addAndGet(bytes);
      long free = pool.capacityBytes - pool.used.addAndGet(bytes);
      boolean granted = free >= 0 && (held <= pool.guaranteedBytes || held / weight <= free);
      if (!granted) {
        mine.addAndGet(-bytes);
        pool.used.addAndGet(-bytes);
        of(pool.refusals, use).increment();
        return false;
      }
      of(pool.usedFor, use).add(bytes);
      return true;
    }

    /**
     * Holds bytes even if they do not fit: for memory that is taken already and cannot be refused
     * any more. They count against later requests.
     */
    public void take(MemoryUse use, long bytes) {
      mine.addAndGet(bytes);
      pool.used.addAndGet(bytes);
      of(pool.usedFor, use).add(bytes);
    }

    /** Gives bytes back that were held for that use. */
    public void release(MemoryUse use, long bytes) {
      if (bytes == 0) {
        return;
      }
      mine.addAndGet(-bytes);
      pool.used.addAndGet(-bytes);
      of(pool.usedFor, use).add(-bytes);
    }

    /** What it holds now. */
    public long usedBytes() {
      return mine.get();
    }

    /** The pool that the share belongs to. */
    public MemoryPool pool() {
      return pool;
    }
  }
}
