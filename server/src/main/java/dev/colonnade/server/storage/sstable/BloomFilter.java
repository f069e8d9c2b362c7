package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import java.io.IOException;
import java.util.Arrays;

/**
 * A split-block Bloom filter (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom
 * Filters, 2007): a key has one bit in each of the eight words of one block of 64 bytes, so a
 * lookup costs one cache line.
 *
 * <p>Thread-safe once filled.
 */
final class BloomFilter {
  static final int WORDS_PER_BLOCK = 8;
  private static final int BITS_PER_BLOCK = 512;
  private static final int WORDS_PER_FRAME = 8192;

  private final long[] words;

  private BloomFilter(long[] words) {
    this.words = words;
  }

  /**
   * Returns an empty filter for a number of keys; without bits for each, one that says yes to
   * everything.
   */
  static BloomFilter forKeys(long keys, int bitsPerKey, int maxBytes) {
    if (bitsPerKey == 0) {
      long[] yes = new long[WORDS_PER_BLOCK];
      Arrays.fill(yes, -1);
      return new BloomFilter(yes);
    }
    long wanted = (keys * bitsPerKey + BITS_PER_BLOCK - 1) / BITS_PER_BLOCK;
    long blocks = Math.max(1, Math.min(wanted, maxBytes / (BITS_PER_BLOCK / 8)));
    return new BloomFilter(new long[Math.toIntExact(blocks * WORDS_PER_BLOCK)]);
  }

  void add(long hashHigh, long hashLow) {
    int block = blockOf(hashHigh);
    long rest = hashLow;
    for (int i = 0; i < WORDS_PER_BLOCK; i++) {
      words[block + i] |= 1L << rest;
      rest >>>= 6;
    }
  }

  /** False only if the key was never added. */
  boolean mightContain(Hash128 hash) {
    int block = blockOf(hash.high());
    long rest = hash.low();
    for (int i = 0; i < WORDS_PER_BLOCK; i++) {
      if ((words[block + i] >>> rest & 1) == 0) {
        return false;
      }
      rest >>>= 6;
    }
    return true;
  }

  /** How many bits are set. */
  long bitsSet() {
    return Arrays.stream(words).map(Long::bitCount).sum();
  }

  /** The share of absent keys that would pass, by the bits that are set: 0 to 1. */
  double expectedFalsePositives() {
    double sum = 0;
    for (int block = 0; block < words.length; block += WORDS_PER_BLOCK) {
      double passes = 1;
      for (int i = 0; i < WORDS_PER_BLOCK; i++) {
        passes *= Long.bitCount(words[block + i]) / (double) Long.SIZE;
      }
      sum += passes;
    }
    return sum / (words.length / (double) WORDS_PER_BLOCK);
  }

  long bytes() {
    return 8L * words.length;
  }

  /** Writes the words in frames and returns the footer's body. */
  byte[] write(BlockWriter sink) throws IOException {
    ByteWriter frame = new ByteWriter(8 * WORDS_PER_FRAME);
    for (int from = 0; from < words.length; from += WORDS_PER_FRAME) {
      frame.reset();
      for (int i = from; i < Math.min(words.length, from + WORDS_PER_FRAME); i++) {
        frame.writeLong(words[i]);
      }
      sink.write(frame.array(), frame.position());
    }
    ByteWriter footer = new ByteWriter(8);
    footer.writeInt(words.length);
    return footer.toByteArray();
  }

  /** Returns a filter that says yes to everything. */
  static BloomFilter ofEverything() {
    return forKeys(0, 0, 0);
  }

  /** The heap that {@link #read} will take, in bytes. */
  static long bytes(BlockReader source) throws IOException {
    return 8L * checkedWords(source);
  }

  private static int checkedWords(BlockReader source) throws IOException {
    int count = words(source);
    long held = (source.end() - source.start()) / 8;
    if (count <= 0 || count % WORDS_PER_BLOCK != 0 || count > held) {
      throw source.corrupt(source.end(), "a filter of up to " + held + " words", "" + count);
    }
    return count;
  }

  /** Reads what {@link #write} wrote. */
  static BloomFilter read(BlockReader source) throws IOException {
    int count = checkedWords(source);
    long[] words = new long[count];
    int filled = 0;
    long offset = source.start();
    while (filled < count) {
      int frameBytes = source.frameBytes(offset, BlockFrame.HEADER_BYTES + 8 * WORDS_PER_FRAME);
      ByteReader frame = new ByteReader(source.read(offset, frameBytes));
      int take = Math.min(count - filled, frame.remaining() / 8);
      if (take == 0) {
        throw source.corrupt(offset, "words of a filter", "an empty block");
      }
      for (int i = 0; i < take; i++) {
        words[filled++] = frame.readLong();
      }
      offset += frameBytes;
    }
    return new BloomFilter(words);
  }

  private static int words(BlockReader source) throws IOException {
    ByteReader footer = new ByteReader(source.footerBody());
    try {
      int count = footer.readInt();
      footer.expectEnd("footer of a filter");
      return count;
    } catch (CorruptDataException damage) {
      throw damage.inFile(source.path(), source.end());
    }
  }

  @Override
  public String toString() {
    return "filter of " + bytes() + " bytes, " + bitsSet() + " bits set";
  }

  /** The upper half of the high hash picks the block, evenly and without a division. */
  private int blockOf(long hashHigh) {
    long blocks = words.length / WORDS_PER_BLOCK;
    return (int) (((hashHigh >>> 32) * blocks) >>> 32) * WORDS_PER_BLOCK;
  }
}
