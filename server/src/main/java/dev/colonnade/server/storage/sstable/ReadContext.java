package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.WorkMeter;

/**
 * The circumstances of one read.
 *
 * @param mayBlock whether the calling thread may wait for the disk; if not, a block that neither
 *     the caches nor the system's page cache have ends the read with {@link NotCachedException}
 * @param blocks keeps or discards the blocks that come from disk
 * @param figures counts the cost of the read
 * @param work is told of the work while it is done
 * @param plainCells used for one row after the other
 */
public record ReadContext(
    boolean mayBlock,
    PassingBlocks blocks,
    ReadFigures figures,
    WorkMeter work,
    PlainCells plainCells) {

  private ReadContext(boolean mayBlock, PassingBlocks blocks, WorkMeter work) {
    this(mayBlock, blocks, new ReadFigures(), work, new PlainCells());
  }

  /** Returns the context of a read that may touch the disk, with new figures. */
  public static ReadContext blocking() {
    return blocking(WorkMeter.NONE);
  }

  /** The same, with a meter of its work. */
  public static ReadContext blocking(WorkMeter work) {
    return new ReadContext(true, PassingBlocks.NONE, work);
  }

  /** Returns the context of a read that must be answered from memory, with new figures. */
  public static ReadContext cachedOnly() {
    return cachedOnly(WorkMeter.NONE);
  }

  /** The same, with a meter of its work. */
  public static ReadContext cachedOnly(WorkMeter work) {
    return new ReadContext(false, PassingBlocks.NONE, work);
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
    return new ReadContext(true, new PassingBlocks(), work);
  }

  /** Whether blocks and positions that this read finds go to the node's caches. */
  public boolean fillsCaches() {
    return blocks == PassingBlocks.NONE;
  }
}
