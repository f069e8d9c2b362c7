package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The hash and position of every row, kept while a file is written, because the filter and the key
 * index can only be built once the number of rows is known. What exceeds a fixed amount of memory
 * waits in a temporary file, in runs that are sorted by hash. One thread at a time.
 *
 * <p>A position packs where a block's frame stands and, rounded up, how long it is, so that one
 * read fetches it.
 */
final class RowIndexSpool implements Closeable {
  private static final int OFFSET_BITS = 44;
  private static final int LENGTH_SHIFT = 12;

  /** The largest offset that a position can hold: 16 TiB. */
  static final long MAX_OFFSET = (1L << OFFSET_BITS) - 1;

  static final int RECORD_BYTES = 24;
  private static final int RECORDS_IN_MEMORY = 32 << 10;

  /** 8 MiB of them. */
  private static final int SORTED_AT_A_TIME = 256 << 10;

  /** Enough for the file of a small flush. */
  private static final int RECORDS_AT_FIRST = 256;

  /** Receives rows one by one. */
  interface Consumer {
    /** Returns false to stop. */
    boolean accept(long hashHigh, long hashLow, long position) throws IOException;
  }

  private final FileSystem files;
  private final String path;
  private ByteBuffer memory;
  private @Nullable WritableFile spilled;
  private long spilledRecords;
  private long positionBits;
  private final Checksums.RunningChecksum spilledChecksum = new Checksums.RunningChecksum();

  /** Of the runs in the file: each has {@value #RECORDS_IN_MEMORY} records. */
  private int[] runChecksums = {};

  /** Sorts a run; null before the first one. */
  private @Nullable SortedRows sorter;

  /** Whether a run could not be sorted, because too many hashes begin alike. */
  private boolean unsorted;

  RowIndexSpool(FileSystem files, String path) {
    this.files = files;
    this.path = path;
    this.memory = ByteBuffer.allocate(RECORDS_AT_FIRST * RECORD_BYTES);
  }

  static long pack(long offset, int frameBytes) {
    long units = (frameBytes + (1L << LENGTH_SHIFT) - 1) >>> LENGTH_SHIFT;
    return units << OFFSET_BITS | offset;
  }

  static long offsetOf(long position) {
    return position & MAX_OFFSET;
  }

  static int frameBytesOf(long position) {
    return (int) Math.min(Integer.MAX_VALUE - 16L, position >>> OFFSET_BITS << LENGTH_SHIFT);
  }

  void add(long hashHigh, long hashLow, long position) throws IOException {
    if (!memory.hasRemaining()) {
      if (memory.capacity() < RECORDS_IN_MEMORY * RECORD_BYTES) {
        memory = ByteBuffer.allocate(2 * memory.capacity()).put(memory.flip());
      } else {
        spill();
      }
    }
    memory.putLong(hashHigh).putLong(hashLow).putLong(position);
    positionBits |= position;
  }

  /** All positions combined by a bitwise or. */
  long positionBits() {
    return positionBits;
  }

  long count() {
    return spilledRecords + memory.position() / RECORD_BYTES;
  }

  /** Passes all rows in no particular order; false if the consumer stopped. */
  boolean forEach(Consumer consumer) throws IOException {
    if (spilledRecords > 0 && !forEachSpilled(consumer)) {
      return false;
    }
    return forEachIn(memory.array(), memory.position(), consumer);
  }

  /**
   * Passes all rows in ascending order of their hashes, as unsigned numbers; false if the consumer
   * stopped, or the hashes are not spread evenly, as only chosen keys are. Needs memory for {@value
   * #SORTED_AT_A_TIME} rows, and reads the temporary file once.
   */
  boolean forEachSorted(Consumer consumer) throws IOException {
    if (unsorted) {
      return false;
    }
    int parts = Math.toIntExact((count() + SORTED_AT_A_TIME - 1) / SORTED_AT_A_TIME);
    SortedRows rows = new SortedRows((int) Math.min(count(), SORTED_AT_A_TIME));
    if (spilledRecords == 0) {
      return forEachSorted(null, parts, rows, consumer);
    }
    int runs = Math.toIntExact(spilledRecords / RECORDS_IN_MEMORY);
    try (SortedRuns spilledRuns =
        new SortedRuns(files, path, RECORDS_IN_MEMORY, Arrays.copyOf(runChecksums, runs), parts)) {
      if (!forEachSorted(spilledRuns, parts, rows, consumer)) {
        return false;
      }
      spilledRuns.verify();
      return true;
    }
  }

  private boolean forEachSorted(
      @Nullable SortedRuns spilledRuns, int parts, SortedRows rows, Consumer consumer)
      throws IOException {
    int rowsMax = 2 * SORTED_AT_A_TIME;
    for (int i = 0; i < parts; i++) {
      int part = i;
      rows.clear();
      boolean even =
          (spilledRuns == null || spilledRuns.addPart(part, rows, rowsMax))
              && forEachIn(
                  memory.array(),
                  memory.position(),
                  (high, low, position) -> {
                    if (SortedRuns.part(high, parts) == part) {
                      rows.add(high, low, position);
                    }
                    return rows.count() <= rowsMax;
                  });
      if (!even || !rows.forEachSorted(consumer)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    if (spilled != null) {
      spilled.close();
      spilled = null;
      try {
        files.delete(path);
      } catch (FileNotFoundException gone) {
        // The goal is reached already.
      }
    }
  }

  private void spill() throws IOException {
    if (spilled == null) {
      spilled = files.create(path);
    }
    sortMemory();
    memory.flip();
    int run = Math.toIntExact(spilledRecords / RECORDS_IN_MEMORY);
    if (run == runChecksums.length) {
      runChecksums = Arrays.copyOf(runChecksums, Math.max(16, 2 * run));
    }
    runChecksums[run] = Checksums.crc32c(memory.array(), 0, memory.limit());
    spilledRecords += memory.limit() / RECORD_BYTES;
    spilledChecksum.update(memory);
    spilled.write(memory);
    memory.clear();
  }

  /** Sorts the full memory, unless that is given up. */
  private void sortMemory() throws IOException {
    if (unsorted) {
      return;
    }
    SortedRows rows = sorter;
    if (rows == null) {
      rows = new SortedRows(RECORDS_IN_MEMORY);
      sorter = rows;
    }
    rows.clear();
    SortedRows all = rows;
    boolean unused =
        forEachIn(
            memory.array(),
            memory.position(),
            (high, low, position) -> {
              all.add(high, low, position);
              return true;
            });
    ByteBuffer target = memory.duplicate().clear();
    // If it gives up it has passed nothing.
    unsorted =
        !rows.forEachSorted(
            (high, low, position) -> {
              target.putLong(high).putLong(low).putLong(position);
              return true;
            });
  }

  private boolean forEachSpilled(Consumer consumer) throws IOException {
    try (ReadableFile file = files.open(path)) {
      if (file.size() != spilledRecords * RECORD_BYTES) {
        throw new CorruptFileException(
            files.describe(path), 0, spilledRecords + " rows", file.size() + " bytes");
      }
      byte[] chunk = new byte[1024 * RECORD_BYTES];
      Checksums.RunningChecksum found = new Checksums.RunningChecksum();
      long at = 0;
      while (at < file.size()) {
        int length = (int) Math.min(chunk.length, file.size() - at);
        file.read(at, ByteBuffer.wrap(chunk, 0, length));
        found.update(chunk, 0, length);
        if (!forEachIn(chunk, length, consumer)) {
          return false;
        }
        at += length;
      }
      if (found.value() != spilledChecksum.value()) {
        throw new CorruptFileException(
            files.describe(path),
            0,
            "checksum " + Checksums.text(spilledChecksum.value()),
            Checksums.text(found.value()));
      }
      return true;
    }
  }

  private static boolean forEachIn(byte[] records, int length, Consumer consumer)
      throws IOException {
    ByteReader reader = new ByteReader(records, 0, length);
    while (reader.hasRemaining()) {
      if (!consumer.accept(reader.readLong(), reader.readLong(), reader.readLong())) {
        return false;
      }
    }
    return true;
  }
}
