package dev.colonnade.server.sim;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.KeyIndexes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * Key indexes as sorted arrays, each kept in a file of the given file system: 24 bytes an entry
 * (hash, position), sorted, then a checksum. So a crash or damage meets them as it would meet the
 * real ones.
 */
public final class SortedArrayKeyIndexes implements KeyIndexes {
  private static final int ENTRY_BYTES = 24;
  private static final int MAX_ENTRIES = 10_000_000;

  private final FileSystem files;

  /** Key indexes in {@code files}. */
  public SortedArrayKeyIndexes(FileSystem files) {
    this.files = files;
  }

  @Override
  public KeyIndexes.KeyIndexBuilder create(String path, long entries, long positionBits)
      throws IOException {
    return new ArrayBuilder(files.create(path), requireCount(entries));
  }

  @Override
  public KeyIndex open(String path, long entries) throws IOException {
    int count = (int) requireCount(entries);
    try (ReadableFile file = files.open(path)) {
      long expected = (long) count * ENTRY_BYTES + 4;
      if (file.size() != expected) {
        throw new IOException(
            files.describe(path)
                + " has "
                + file.size()
                + " bytes, not the "
                + expected
                + " of "
                + count
                + " entries");
      }
      byte[] bytes = new byte[(int) expected];
      file.read(0, ByteBuffer.wrap(bytes));
      ByteReader reader = new ByteReader(bytes);
      long[] numbers = new long[3 * count];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = reader.readLong();
      }
      if (reader.readInt() != Checksums.crc32c(bytes, 0, bytes.length - 4)) {
        throw new IOException(files.describe(path) + " is damaged");
      }
      return new SortedArray(numbers);
    }
  }

  private static long requireCount(long entries) {
    if (entries < 1 || entries > MAX_ENTRIES) {
      throw new IllegalArgumentException("1 to " + MAX_ENTRIES + " entries, not " + entries);
    }
    return entries;
  }

  /** A hash as a sortable key. */
  private record Key(long high, long low) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byHigh = Long.compare(high, other.high);
      return byHigh != 0 ? byHigh : Long.compare(low, other.low);
    }
  }

  /** Collects entries and writes them at the end. */
  private static final class ArrayBuilder implements KeyIndexes.KeyIndexBuilder {
    private final WritableFile file;
    private final long entries;
    private final TreeMap<Key, Long> positions = new TreeMap<>();

    ArrayBuilder(WritableFile file, long entries) {
      this.file = file;
      this.entries = entries;
    }

    @Override
    public boolean put(long hashHigh, long hashLow, long position) {
      if (position < 0) {
        throw new IllegalArgumentException("position " + position);
      }
      Key key = new Key(hashHigh, hashLow);
      if (positions.containsKey(key)) {
        return false;
      }
      if (positions.size() >= entries) {
        throw new IllegalStateException("more than the " + entries + " entries announced");
      }
      positions.put(key, position);
      return true;
    }

    @Override
    public void finish() throws IOException {
      if (positions.size() != entries) {
        throw new IllegalStateException(
            positions.size() + " entries put, " + entries + " announced");
      }
      ByteWriter out = new ByteWriter((int) entries * ENTRY_BYTES + 4);
      for (Map.Entry<Key, Long> entry : positions.entrySet()) {
        out.writeLong(entry.getKey().high());
        out.writeLong(entry.getKey().low());
        out.writeLong(entry.getValue());
      }
      out.writeInt(out.checksumFrom(0));
      file.write(out.asByteBuffer());
      file.sync();
      file.close();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** A sorted array in memory. */
  private static final class SortedArray implements KeyIndex {
    private final long[] numbers;

    SortedArray(long[] numbers) {
      this.numbers = numbers;
    }

    @Override
    public long find(long hashHigh, long hashLow) {
      int low = 0;
      int high = numbers.length / 3 - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        int order = Long.compare(numbers[3 * middle], hashHigh);
        if (order == 0) {
          order = Long.compare(numbers[3 * middle + 1], hashLow);
        }
        if (order == 0) {
          return numbers[3 * middle + 2];
        }
        if (order < 0) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return -1;
    }

    @Override
    public void close() {
      // Nothing is held but memory.
    }
  }
}
