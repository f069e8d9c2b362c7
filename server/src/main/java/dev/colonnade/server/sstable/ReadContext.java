package dev.colonnade.server.sstable;

/**
 * The circumstances of one read.
 *
 * @param mayBlock whether the calling thread may read from disk; if not, a block that is not cached
 *     ends the read with {@link NotCachedException}
 * @param figures counts what the read costs
 */
public record ReadContext(boolean mayBlock, ReadFigures figures) {

  /** A read that may touch the disk, with new figures. */
  public static ReadContext blocking() {
    return new ReadContext(true, new ReadFigures());
  }

  /** A read that must be answered from memory, with new figures. */
  public static ReadContext cachedOnly() {
    return new ReadContext(false, new ReadFigures());
  }
}
