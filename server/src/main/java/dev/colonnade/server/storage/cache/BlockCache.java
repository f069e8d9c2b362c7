package dev.colonnade.server.storage.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Uncompressed blocks of data files, weighed in bytes. One cache serves all files of a node. Behind
 * it are the {@link FrameCache} and then the disk.
 *
 * <p>Thread-safe. An evicted block stays usable by its current readers.
 */
public final class BlockCache {

  private record BlockId(long file, long offset) {
    @Override
    public int hashCode() {
      return BlockCache.hash(file, offset);
    }
  }

  private static final int ENTRY_OVERHEAD_BYTES = 96;

  private final Cache<BlockId, CachedBlock> blocks;
  private final FrameCache frames;
  private volatile long capacityBytes;
  private final AtomicLong lastFile = new AtomicLong();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder evictions = new LongAdder();

  /**
   * Creates an empty cache on the heap alone.
   *
   * @param capacityBytes of heap; 0 keeps nothing
   */
  public BlockCache(long capacityBytes) {
    this(capacityBytes, FrameCache.NONE);
  }

  /**
   * Creates an empty cache.
   *
   * @param capacityBytes of heap; 0 keeps nothing there
   * @param frames keeps more, outside of the heap
   */
  public BlockCache(long capacityBytes, FrameCache frames) {
    this.frames = frames;
    this.capacityBytes = capacityBytes;
    this.blocks =
        Caffeine.newBuilder()
            .maximumWeight(capacityBytes)
            .weigher((BlockId id, CachedBlock block) -> ENTRY_OVERHEAD_BYTES + block.weightBytes())
            .executor(Runnable::run)
            .evictionListener(
                (@Nullable BlockId id, @Nullable CachedBlock block, RemovalCause cause) ->
                    evictions.increment())
            .build();
  }

  static int hash(long file, long offset) {
    long mixed = (file * 0x9E3779B97F4A7C15L) ^ (offset * 0xC2B2AE3D27D4EB4FL);
    return (int) (mixed ^ (mixed >>> 32));
  }

  /** Frames of blocks of the same files, outside of the heap. */
  public FrameCache frames() {
    return frames;
  }

  /**
   * Changes the capacity; blocks that no longer fit are dropped before this returns.
   *
   * @param bytes of heap; 0 keeps nothing there
   */
  public void resize(long bytes) {
    capacityBytes = bytes;
    blocks.policy().eviction().orElseThrow().setMaximum(bytes);
  }

  /** Returns a number for a file that is being opened; never the same twice. */
  public long newFile() {
    return lastFile.incrementAndGet();
  }

  /** Returns the block at that offset, or null if it is not cached. */
  public @Nullable CachedBlock find(long file, long offset) {
    CachedBlock block = blocks.getIfPresent(new BlockId(file, offset));
    (block != null ? hits : misses).increment();
    return block;
  }

  /** Keeps a block that was just read. */
  public void put(long file, long offset, CachedBlock block) {
    blocks.put(new BlockId(file, offset), block);
  }

  /** Figures since start; the entries and weight are approximate while the cache is in use. */
  public CacheFigures figures() {
    long weight =
        blocks.policy().eviction().map(Policy.Eviction::weightedSize).orElseThrow().orElse(0);
    return new CacheFigures(
        hits.sum(), misses.sum(), evictions.sum(), blocks.estimatedSize(), weight, capacityBytes);
  }
}
