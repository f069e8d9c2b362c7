package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.config.StorageSettings;

/**
 * How data files are written. Files carry what a reader must know, so settings can change at any
 * time; they apply to files written afterwards.
 *
 * @param blockBytes where a data block is cut, uncompressed: 64 bytes to 1 MiB. Larger blocks
 *     compress better, smaller ones make a cold read cheaper
 * @param indexBlockBytes where an index block is cut: 64 bytes to 1 MiB
 * @param compression of data blocks
 * @param bloomBitsPerKey 0 to 32; 12 give about one false positive in 200, 0 switches the filter
 *     off: it then always answers that a row may be there
 * @param bloomMaxBytes the largest filter of one file, which is held on the heap; a file with more
 *     rows than that allows gets fewer bits for each
 * @param keyIndexMinRows files with fewer rows get no key index, since the sparse index finds their
 *     rows as fast
 */
public record SSTableSettings(
    int blockBytes,
    int indexBlockBytes,
    BlockCompression compression,
    int bloomBitsPerKey,
    int bloomMaxBytes,
    long keyIndexMinRows) {

  /** How data blocks are compressed. A block that does not shrink is stored as it is. */
  public enum BlockCompression {
    NONE,
    LZ4
  }

  /** The defaults. */
  public static final SSTableSettings DEFAULT =
      new SSTableSettings(
          StorageSettings.BLOCK_BYTES.defaultValue(),
          16 << 10,
          BlockCompression.LZ4,
          12,
          128 << 20,
          256);

  /** Checks the ranges. */
  public SSTableSettings {
    require("block size", blockBytes, 64, 1 << 20);
    require("index block size", indexBlockBytes, 64, 1 << 20);
    require("Bloom filter bits for each key", bloomBitsPerKey, 0, 32);
    require("largest Bloom filter in bytes", bloomMaxBytes, 64, 1 << 30);
    require("rows from which on a file has a key index", keyIndexMinRows, 1, Long.MAX_VALUE);
  }

  /** Returns these settings with other block sizes. */
  public SSTableSettings withBlockBytes(int dataBytes, int indexBytes) {
    return new SSTableSettings(
        dataBytes, indexBytes, compression, bloomBitsPerKey, bloomMaxBytes, keyIndexMinRows);
  }

  /** Returns these settings with another compression. */
  public SSTableSettings withCompression(BlockCompression other) {
    return new SSTableSettings(
        blockBytes, indexBlockBytes, other, bloomBitsPerKey, bloomMaxBytes, keyIndexMinRows);
  }

  private static void require(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          what + " is " + value + "; it must be from " + min + " to " + max);
    }
  }
}
