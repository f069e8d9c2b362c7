package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.RandomSource;
import java.io.IOException;

/**
 * Figures of a file's Bloom filter.
 *
 * @param rows of the file, by its statistics
 * @param bits of the filter
 * @param bitsSet of them
 * @param hashes bits that each row has
 * @param expected the share of absent rows that pass, by the bits set: 0 to 1
 * @param measured the share of absent rows tried that passed: 0 to 1
 * @param tried how many absent rows were tried
 */
public record SSTableFilterReport(
    long rows, long bits, long bitsSet, int hashes, double expected, double measured, int tried) {

  /**
   * Reads filter and statistics, and asks the filter for rows that the file does not have. Blocks.
   *
   * @param random where the absent rows' hashes come from; of 128 bits, so that none is that of a
   *     row
   * @param tries how many, at least 1
   * @throws java.io.FileNotFoundException if one of the two components is missing
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if one is damaged
   */
  public static SSTableFilterReport read(
      FileSystem files, SSTableIdentity identity, RandomSource random, int tries)
      throws IOException {
    SSTableStats stats = MetaFile.read(files, identity).meta().stats();
    try (BlockReader source = BlockReader.open(files, identity, Component.FILTER)) {
      BloomFilter filter = BloomFilter.read(source);
      int passed = 0;
      for (int i = 0; i < tries; i++) {
        if (filter.mightContain(new Hash128(random.nextLong(), random.nextLong()))) {
          passed++;
        }
      }
      return new SSTableFilterReport(
          stats.rows(),
          8 * filter.bytes(),
          filter.bitsSet(),
          BloomFilter.WORDS_PER_BLOCK,
          filter.expectedFalsePositives(),
          passed / (double) tries,
          tries);
    }
  }
}
