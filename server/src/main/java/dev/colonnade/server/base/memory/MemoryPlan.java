package dev.colonnade.server.base.memory;

/**
 * How the memory of a process is divided. The rest of the heap, about a fifth, is the room that the
 * collector needs to work in.
 *
 * @param heapBytes the heap's limit
 * @param directBytes the limit of direct memory for the network
 * @param memtableBytes all memtables together
 * @param blockCacheBytes uncompressed blocks of data files
 * @param offHeapBlockCacheBytes blocks as they lie in data files, in direct memory beside the
 *     network's
 * @param keyCacheBytes positions of rows in data files
 * @param rowCacheBytes merged rows, of all families together
 * @param filterBytes Bloom filters of all data files together
 * @param sharedHeapBytes requests, answers and messages between nodes, while they are under way
 * @param sharedDirectBytes the same, while they are in network buffers
 */
public record MemoryPlan(
    long heapBytes,
    long directBytes,
    long memtableBytes,
    long blockCacheBytes,
    long offHeapBlockCacheBytes,
    long keyCacheBytes,
    long rowCacheBytes,
    long filterBytes,
    long sharedHeapBytes,
    long sharedDirectBytes) {

  private static final long MEBIBYTE = 1L << 20;

  /** What an idle node keeps on its heap: classes' data, libraries, buffers of its threads. */
  private static final long BASE_BYTES = 32 * MEBIBYTE;

  /**
   * For a smaller heap than this, the plan is that of this size, which promises more than there is.
   */
  private static final long HEAP_BYTES_MIN = 96 * MEBIBYTE;

  private static final long DIRECT_BYTES_MIN = 32 * MEBIBYTE;

  private static final long WINDOW_BYTES_MIN = 64 << 10;
  private static final long WINDOW_BYTES_MAX = 1 << 20;

  private static final long ADMINISTRATION_BYTES_MIN = 2 * MEBIBYTE;

  /** The guaranteed part of a share of a pool; hundreds of connections fit the smallest pool. */
  private static final long GUARANTEED_BYTES = 64 << 10;

  /**
   * Returns the plan for a heap: a quarter for memtables, a quarter for caches and filters, a
   * quarter for requests under way; each of what an idle node leaves. Direct memory is a quarter of
   * the heap, outside of it. Half of that is granted; the rest is what pooled buffers lose to their
   * sizes, and the windows and headers of connections. Blocks outside of the heap take another
   * eighth of its size, which keeps a node with a heap of 1 GiB below one and a half.
   */
  public static MemoryPlan forHeap(long heapBytes) {
    long share = (Math.max(heapBytes, HEAP_BYTES_MIN) - BASE_BYTES) / 64;
    long direct = Math.max(DIRECT_BYTES_MIN, heapBytes / 4);
    return new MemoryPlan(
        heapBytes,
        direct,
        16 * share,
        9 * share,
        heapBytes / 8,
        2 * share,
        2 * share,
        4 * share,
        16 * share,
        direct / 2);
  }

  /**
   * How much a client may send ahead on a connection; 1 MiB fills a fast line over long distances,
   * and many connections may do that at the same time.
   */
  public int windowBytes() {
    return (int) Math.max(WINDOW_BYTES_MIN, Math.min(WINDOW_BYTES_MAX, directBytes / 256));
  }

  /** A pool for requests under way on the heap. */
  public MemoryPool newHeapPool() {
    return new MemoryPool(sharedHeapBytes, GUARANTEED_BYTES);
  }

  /** A pool for the network's buffers. */
  public MemoryPool newDirectPool() {
    return new MemoryPool(sharedDirectBytes, GUARANTEED_BYTES);
  }

  /**
   * A pool for administrative calls when the others are full; it uses memory that the other pools
   * do not grant.
   */
  public MemoryPool newAdministrationPool() {
    long bytes = Math.max(ADMINISTRATION_BYTES_MIN, sharedDirectBytes / 16);
    return new MemoryPool(bytes, bytes);
  }
}
