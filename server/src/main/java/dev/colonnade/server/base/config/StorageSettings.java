package dev.colonnade.server.base.config;

/**
 * How data lies on disk and in memory. Default figures are for a heap of 1 GiB; a node scales what
 * it keeps in memory with its heap.
 */
public final class StorageSettings {

  static final SettingGroup GROUP = new SettingGroup("Storage");

  private static final ValueForm<Long> CACHE = ValueForm.bytes(0, 1L << 40);

  /** How blocks are compressed. */
  public enum CompressionSetting {
    NONE,
    LZ4
  }

  /** The size of the blocks in which data is compressed and checksummed. */
  public static final Setting<Integer> BLOCK_BYTES =
      GROUP
          .setting("block_bytes", ValueForm.wholeNumber(1 << 10, 1 << 20), 8 << 10)
          .reason(
              "A read that misses the caches costs a quarter less than with 16384 bytes, and the caches"
                  + " hold more rows that are read; LZ4 still finds repetitions.")
          .help("The size in bytes of the blocks in which data is compressed and checksummed.");

  /** Of new blocks. */
  public static final Setting<CompressionSetting> COMPRESSION =
      GROUP
          .setting("compression", ValueForm.oneOf(CompressionSetting.class), CompressionSetting.LZ4)
          .help("How new blocks are compressed.");

  /** All memtables together; beyond it the largest is flushed. */
  public static final Setting<Long> MEMTABLE_TOTAL_BYTES =
      GROUP
          .setting("memtable_total_bytes", ValueForm.bytes(1 << 20, 1L << 40), 256L << 20)
          .defaultText("a quarter of the heap")
          .live()
          .help("What all memtables together may hold; beyond it the largest is flushed.");

  /** Blocks kept in memory. */
  public static final Setting<Long> BLOCK_CACHE_BYTES =
      GROUP
          .setting("block_cache_bytes", CACHE, 192L << 20)
          .defaultText("a seventh of the heap")
          .live()
          .help("Blocks of data files that are kept in memory.");

  /** Blocks kept in memory outside of the heap. */
  public static final Setting<Long> OFF_HEAP_BLOCK_CACHE_BYTES =
      GROUP
          .setting("off_heap_block_cache_bytes", CACHE, 128L << 20)
          .defaultText("an eighth of the heap's size")
          .reason(
              "A block that the block cache has lost is found there by a thread that may not wait for the"
                  + " disk.")
          .help(
              "Memory outside of the heap for blocks of data files, as they lie there; 0 for none.");

  /** Positions of keys kept in memory, all families together. */
  public static final Setting<Long> KEY_CACHE_BYTES =
      GROUP
          .setting("key_cache_bytes", CACHE, 32L << 20)
          .defaultText("a thirty-third of the heap")
          .live()
          .help("Positions of keys that are kept in memory, all column families together.");

  /** Whole rows kept in memory, all families together. */
  public static final Setting<Long> ROW_CACHE_BYTES =
      GROUP
          .setting("row_cache_bytes", CACHE, 32L << 20)
          .defaultText("a thirty-third of the heap")
          .live()
          .help("Whole rows that are kept in memory, all column families together.");

  /** What one compaction may read while there are few files; 0 means no limit. */
  public static final Setting<Long> COMPACTION_BYTES_PER_SECOND =
      GROUP
          .setting("compaction_bytes_per_second", CACHE, 32L << 20)
          .reason("Leaves a slow disk room for reads.")
          .live()
          .help("How fast a compaction may read; faster where files pile up; 0 for no limit.");

  /** What is read to find damage; 0 means that nothing is. */
  public static final Setting<Long> SCRUB_BYTES_PER_SECOND =
      GROUP
          .setting("scrub_bytes_per_second", CACHE, 2L << 20)
          .reason("A terabyte takes six days then, at a small part of what any disk can do.")
          .live()
          .help(
              "How fast all data files are read to find damage before a request meets it, once a week"
                  + " or as often as that allows; 0 for never.");

  /** What is read for the checksums of a snapshot's new files; 0 means no limit. */
  public static final Setting<Long> SNAPSHOT_BYTES_PER_SECOND =
      GROUP
          .setting("snapshot_bytes_per_second", CACHE, 64L << 20)
          .reason("A hundred gigabytes take half an hour then, and a disk has room for requests.")
          .live()
          .help(
              "How fast files that no earlier snapshot has are read for the checksums of a snapshot;"
                  + " 0 for no limit.");

  private StorageSettings() {}

  /**
   * A memtable of this size is flushed whatever its family's limit: each leaves room for the
   * others.
   */
  public static long memtableBytesMax(NodeSettings settings) {
    return settings.get(MEMTABLE_TOTAL_BYTES) / 4;
  }
}
