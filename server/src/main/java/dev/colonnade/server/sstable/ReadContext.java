package dev.colonnade.server.sstable;

import dev.colonnade.server.model.WorkMeter;

/**
 * The circumstances of one read.
 *
 * @param mayBlock whether the calling thread may read from disk; if not, a block that is not cached
 *     ends the read with {@link NotCachedException}
 * @param blocks what becomes of the blocks that come from disk
 * @param figures counts what the read costs
 * @param work is told of it while it is done
 */
public record ReadContext(
    boolean mayBlock, PassingBlocks blocks, ReadFigures figures, WorkMeter work) {

  /** A read that may touch the disk, with new figures. */
  public static ReadContext blocking() {
    return blocking(WorkMeter.NONE);
  }

  /** The same, told of its work. */
  public static ReadContext blocking(WorkMeter work) {
    return new ReadContext(true, PassingBlocks.NONE, new ReadFigures(), work);
  }

  /** A read that must be answered from memory, with new figures. */
  public static ReadContext cachedOnly() {
    return cachedOnly(WorkMeter.NONE);
  }

  /** The same, told of its work. */
  public static ReadContext cachedOnly(WorkMeter work) {
    return new ReadContext(false, PassingBlocks.NONE, new ReadFigures(), work);
  }

  /**
   * A read of much that is not read again soon, as a stream or a repair does: it may touch the
   * disk, uses what the caches have, and pushes nothing out of them.
   */
  public static ReadContext passing() {
    return passing(WorkMeter.NONE);
  }

  /** The same, told of its work. */
  public static ReadContext passing(WorkMeter work) {
    return new ReadContext(true, new PassingBlocks(), new ReadFigures(), work);
  }

  /** Whether blocks and positions that this read finds belong into the caches of the node. */
  public boolean fillsCaches() {
    return blocks == PassingBlocks.NONE;
  }
}
