package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.WorkMeter;

/**
 * The circumstances of one read.
 *
 * @param mayBlock whether the calling thread may read from disk; if not, a block that is not cached
 *     ends the read with {@link NotCachedException}
 * @param blocks keeps or discards the blocks that come from disk
 * @param figures counts the cost of the read
 * @param work is told of the work while it is done
 */
public record ReadContext(
    boolean mayBlock, PassingBlocks blocks, ReadFigures figures, WorkMeter work) {

  /** Returns the context of a read that may touch the disk, with new figures. */
  public static ReadContext blocking() {
    return blocking(WorkMeter.NONE);
  }

  /** The same, with a meter of its work. */
  public static ReadContext blocking(WorkMeter work) {
    return new ReadContext(true, PassingBlocks.NONE, new ReadFigures(), work);
  }

  /** Returns the context of a read that must be answered from memory, with new figures. */
  public static ReadContext cachedOnly() {
    return cachedOnly(WorkMeter.NONE);
  }

  /** The same, with a meter of its work. */
  public static ReadContext cachedOnly(WorkMeter work) {
    return new ReadContext(false, PassingBlocks.NONE, new ReadFigures(), work);
  }

  /**
   * Returns the context of a read of much data that is unlikely to be read again soon, such as for
   * a stream or a repair: it may touch the disk, uses what the caches have, and evicts nothing from
   * them.
   */
  public static ReadContext passing() {
    return passing(WorkMeter.NONE);
  }

  /** The same, with a meter of its work. */
  public static ReadContext passing(WorkMeter work) {
    return new ReadContext(true, new PassingBlocks(), new ReadFigures(), work);
  }

  /** Whether blocks and positions that this read finds go to the node's caches. */
  public boolean fillsCaches() {
    return blocks == PassingBlocks.NONE;
  }
}
