package dev.colonnade.server.sstable;

import dev.colonnade.server.model.WorkMeter;

/**
 * The circumstances of one read.
 *
 * @param mayBlock whether the calling thread may read from disk; if not, a block that is not cached
 *     ends the read with {@link NotCachedException}
 * @param figures counts what the read costs
 * @param work is told of it while it is done
 */
public record ReadContext(boolean mayBlock, ReadFigures figures, WorkMeter work) {

  /** A read that may touch the disk, with new figures. */
  public static ReadContext blocking() {
    return blocking(WorkMeter.NONE);
  }

  /** The same, told of its work. */
  public static ReadContext blocking(WorkMeter work) {
    return new ReadContext(true, new ReadFigures(), work);
  }

  /** A read that must be answered from memory, with new figures. */
  public static ReadContext cachedOnly() {
    return cachedOnly(WorkMeter.NONE);
  }

  /** The same, told of its work. */
  public static ReadContext cachedOnly(WorkMeter work) {
    return new ReadContext(false, new ReadFigures(), work);
  }
}
