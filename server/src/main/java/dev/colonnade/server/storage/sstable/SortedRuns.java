package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the file of a {@link RowIndexSpool}, whose runs are each sorted by hash: one range of
 * hashes after another, from all runs. So the whole file is read once, however many ranges there
 * are. One thread at a time.
 */
final class SortedRuns implements Closeable {
  private static final int RECORD_BYTES = RowIndexSpool.RECORD_BYTES;

  private final ReadableFile file;
  private final String description;
  private final int recordsOfRun;
  private final int[] checksums;
  private final int parts;

  /** How many records of each run were read, and the checksum of these. */
  private final int[] read;

  private final Checksums.RunningChecksum[] found;
  private final byte[] chunk;

  /**
   * Begins before the first range.
   *
   * @param recordsOfRun how many records each run has
   * @param checksums of the runs
   * @param parts into how many ranges of one size the hashes are divided
   */
  SortedRuns(FileSystem files, String path, int recordsOfRun, int[] checksums, int parts)
      throws IOException {
    this.file = files.open(path);
    this.description = files.describe(path);
    this.recordsOfRun = recordsOfRun;
    this.checksums = checksums;
    this.parts = parts;
    this.read = new int[checksums.length];
    this.found = new Checksums.RunningChecksum[checksums.length];
    for (int run = 0; run < found.length; run++) {
      found[run] = new Checksums.RunningChecksum();
    }
    // Some more than a range has as a rule, so that one read is enough.
    int expected = recordsOfRun / parts;
    int records = expected + 4 * (int) Math.sqrt(expected) + 16;
    this.chunk = new byte[Math.min(recordsOfRun, records) * RECORD_BYTES];
  }

  /** The range of a hash. */
  static int part(long hashHigh, int parts) {
    return (int) (((hashHigh >>> 32) * parts) >>> 32);
  }

  /**
   * Adds the rows of a range; to be called for each range, in ascending order.
   *
   * @return false if there are more than {@code rowsMax}; nothing more is added then
   */
  boolean addPart(int part, SortedRows rows, int rowsMax) throws IOException {
    for (int run = 0; run < read.length; run++) {
      boolean more = true;
      while (more && read[run] < recordsOfRun) {
        more = addChunk(part, run, rows);
        if (rows.count() > rowsMax) {
          return false;
        }
      }
    }
    return true;
  }

  /** Adds the rows of the range that one read finds; whether there may be more. */
  private boolean addChunk(int part, int run, SortedRows rows) throws IOException {
    long at = ((long) run * recordsOfRun + read[run]) * RECORD_BYTES;
    int records = Math.min(chunk.length / RECORD_BYTES, recordsOfRun - read[run]);
    file.read(at, ByteBuffer.wrap(chunk, 0, records * RECORD_BYTES));
    ByteReader reader = new ByteReader(chunk, 0, records * RECORD_BYTES);
    int taken = 0;
    while (taken < records) {
      long high = reader.readLong();
      int its = part(high, parts);
      if (its > part) {
        break;
      }
      if (its < part) {
        throw new CorruptFileException(description, at, "rows in order", "a smaller hash");
      }
      rows.add(high, reader.readLong(), reader.readLong());
      taken++;
    }
    found[run].update(chunk, 0, taken * RECORD_BYTES);
    read[run] += taken;
    return taken == records;
  }

  /** Checks, after the last range, that everything was read as it was written. */
  void verify() throws IOException {
    for (int run = 0; run < read.length; run++) {
      if (read[run] != recordsOfRun || found[run].value() != checksums[run]) {
        throw new CorruptFileException(
            description,
            (long) run * recordsOfRun * RECORD_BYTES,
            "checksum " + Checksums.text(checksums[run]),
            Checksums.text(found[run].value()));
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
