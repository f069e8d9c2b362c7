package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.storage.record.Frames;
import dev.colonnade.server.storage.sstable.KeyExtent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Writes a file of records that could not be applied, under a temporary name. {@link #finish} makes
 * it durable; then the manifest adds it to the quarantine, and only then {@link #publish} gives it
 * its final name, so that no crash leaves a file under it that the manifest does not know.
 *
 * <p>For one thread; blocks.
 */
final class SetAsideWriter implements Closeable {

  /** In the worst case a character takes three bytes. */
  private static final int REASON_CHARACTERS_MAX = 1_000;

  private final FileSystem files;
  private final String directory;
  private final long generation;
  private final WritableFile file;
  private final Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
  private final ByteWriter buffer = new ByteWriter(1 << 10);
  private final Set<RowKey> keys = new HashSet<>();
  private long records;
  private long minTimestamp = Long.MAX_VALUE;
  private long maxTimestamp = Long.MIN_VALUE;
  private String firstReason = "";
  private boolean finished;

  SetAsideWriter(FileSystem files, String directory, FamilyId family, long generation)
      throws IOException {
    this.files = files;
    this.directory = directory;
    this.generation = generation;
    this.file = files.create(SetAsideFile.temporaryPath(directory, generation));
    SetAsideFile.writeHeader(buffer, family, generation);
    file.write(buffer.asByteBuffer());
  }

  /**
   * Adds a record's part for the family.
   *
   * @param position in the log; {@link LogPosition#START} of one that was never in it
   * @param why it could not be applied
   */
  void add(LogPosition position, RowKey key, RowUpdate update, long nowSeconds, Throwable why)
      throws IOException {
    String reason = shortened(SetAsideRecords.words(why));
    buffer.reset();
    int frame = buffer.reserve(Frames.FRAME_BYTES);
    buffer.array()[frame + 8] = Frames.RECORD;
    SetAsideFile.writeEntry(buffer, position, reason, key, update, nowSeconds);
    int payload = buffer.position() - frame - Frames.FRAME_BYTES;
    Frames.finish(checksum, buffer, frame, payload, generation, file.size());
    file.write(buffer.asByteBuffer());
    firstReason = records == 0 ? reason : firstReason;
    records++;
    keys.add(key);
    count(update);
  }

  private void count(RowUpdate update) {
    for (Cell cell : update.cells()) {
      count(cell.timestamp());
    }
    for (RangeTombstone range : update.ranges()) {
      count(range.deletion().timestamp());
    }
    if (!update.rowDeletion().isNone()) {
      count(update.rowDeletion().timestamp());
    }
  }

  private void count(long timestamp) {
    minTimestamp = Math.min(minTimestamp, timestamp);
    maxTimestamp = Math.max(maxTimestamp, timestamp);
  }

  private static String shortened(String reason) {
    return reason.substring(0, Math.min(REASON_CHARACTERS_MAX, reason.length()));
  }

  /** Returns the quarantine's entry of this file. */
  Quarantined quarantined(
      Quarantined.QuarantineKind kind, SSTableIdentity place, long sinceSeconds) {
    return new Quarantined(
        kind,
        records,
        place,
        files.describe(SetAsideFile.path(directory, generation)),
        0,
        firstReason,
        sinceSeconds,
        KeyExtent.ofRows(keys, minTimestamp, maxTimestamp));
  }

  /** Makes the file durable, still under its temporary name. */
  void finish() throws IOException {
    file.sync();
    file.close();
    files.syncDirectory(directory);
    finished = true;
  }

  /** Gives a file that the manifest names its final name; durable when it returns. */
  static void publish(FileSystem files, String directory, long generation) throws IOException {
    String temporary = SetAsideFile.temporaryPath(directory, generation);
    if (files.exists(temporary)) {
      files.rename(temporary, SetAsideFile.path(directory, generation));
      files.syncDirectory(directory);
    }
  }

  /**
   * Renames a file that is no longer needed to a temporary name, before the manifest forgets it: if
   * this run does not come to delete it, the next start does.
   *
   * @return the path under which it is to be deleted
   */
  static String retire(FileSystem files, String directory, long generation) throws IOException {
    String temporary = SetAsideFile.temporaryPath(directory, generation);
    if (files.exists(SetAsideFile.path(directory, generation))) {
      files.rename(SetAsideFile.path(directory, generation), temporary);
      files.syncDirectory(directory);
    }
    return temporary;
  }

  /** Gives up, unless it was finished; the next start deletes what is left. */
  @Override
  public void close() throws IOException {
    if (!finished) {
      file.close();
    }
  }
}
