package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.storage.cache.CachedBlock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The blocks used last by a read that bypasses the block cache. Consecutive rows lie in the same
 * blocks, so without them each row would be read from disk with its whole block. One thread at a
 * time.
 */
public final class PassingBlocks {

  /** For a read whose blocks go to the block cache: keeps nothing. */
  static final PassingBlocks NONE = new PassingBlocks();

  /** A data block and the way to it through the index, for each of some dozen files. */
  private static final int BLOCKS_MAX = 64;

  /** Applies too when blocks are large. */
  private static final long BYTES_MAX = 4L << 20;

  private record PassingBlockId(long file, long offset) {}

  private final Map<PassingBlockId, CachedBlock> recent = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  PassingBlocks() {}

  @Nullable CachedBlock find(long file, long offset) {
    return this == NONE ? null : recent.get(new PassingBlockId(file, offset));
  }

  void put(long file, long offset, CachedBlock block) {
    CachedBlock before = recent.put(new PassingBlockId(file, offset), block);
    bytes += block.weightBytes() - (before == null ? 0 : before.weightBytes());
    var oldest = recent.values().iterator();
    // The newest stays, however large it is.
    while (recent.size() > 1 && (recent.size() > BLOCKS_MAX || bytes > BYTES_MAX)) {
      bytes -= oldest.next().weightBytes();
      oldest.remove();
    }
  }
}
