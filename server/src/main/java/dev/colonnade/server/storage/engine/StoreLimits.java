package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.sstable.SSTableResources;

/**
 * The limits of a store that change while it runs. Thread-safe. A cache that shrinks drops what
 * does not fit before the call returns, which takes a while for a large one; nothing here waits for
 * the disk.
 */
public final class StoreLimits {

  private final Compactor compactor;
  private final BackgroundScrub scrub;
  private final Snapshots snapshots;
  private final ColumnFamilyStores families;
  private final Runnable relieve;
  private final SSTableResources resources;

  /**
   * Creates it.
   *
   * @param relieve flushes what is too much, and lets writes that wait look for room again
   */
  StoreLimits(
      Compactor compactor,
      BackgroundScrub scrub,
      Snapshots snapshots,
      ColumnFamilyStores families,
      Runnable relieve,
      SSTableResources resources) {
    this.compactor = compactor;
    this.scrub = scrub;
    this.snapshots = snapshots;
    this.families = families;
    this.relieve = relieve;
    this.resources = resources;
  }

  /** What one compaction may read in a second while there are few files; 0 for no limit. */
  public void compactionBytesPerSecond(long changed) {
    compactor.bytesPerSecond(changed);
  }

  /** How fast all data files are read to find damage; 0 for not at all. */
  public void scrubBytesPerSecond(long changed) {
    scrub.bytesPerSecond(changed);
  }

  /** How fast files are read for the checksums of snapshots; 0 for no limit. */
  public void snapshotBytesPerSecond(long changed) {
    snapshots.bytesPerSecond(changed);
  }

  /** Heap of the block cache; 0 for none. */
  public void blockCacheBytes(long changed) {
    resources.blocks().resize(changed);
  }

  /** Heap of the row caches of all families together; 0 for none. */
  public void rowCacheBytes(long changed) {
    families.rowCacheBytesMax(changed);
  }

  /** Heap of all memtables together; beyond half of it the largest are flushed. */
  public void memtableBytes(long changed) {
    families.memtableBytesMax(changed);
    relieve.run();
  }

  /** Positions of rows in data files that are remembered; 0 for none. */
  public void keyCacheEntries(long changed) {
    resources.keys().resize(changed);
  }
}
