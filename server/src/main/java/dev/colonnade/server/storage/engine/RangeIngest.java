package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows of another node to data files of this one. The rows become durable and visible all at
 * once with {@link #finish}; without it nothing is left of them. While an ingest is open no
 * tombstone of its family is purged, since the rows may be older than it.
 *
 * <p>One thread at a time; may block on the disk. After an exception only {@link #abandon} is
 * allowed.
 */
public final class RangeIngest {
  /**
   * A file is ended at the row after this many bytes, so that compactions need not move it all at
   * once.
   */
  private static final long FILE_BYTES = 1L << 30;

  /** How much is written between two checks of the room on the disk. */
  private static final long LOOK_BYTES = 8L << 20;

  private final ColumnFamilyStore store;
  private final LiveFileSet liveFiles;
  private final DiskSpaceGuard diskSpace;
  private final Consumer<ColumnFamilyStore> afterIngest;
  private final int truncations;
  private final Claim open;
  private final List<SSTable> files = new ArrayList<>();
  private @Nullable SSTableWriter writer;
  private long finishedBytes;
  private long lookAtBytes;
  private boolean over;

  RangeIngest(
      ColumnFamilyStore store,
      LiveFileSet liveFiles,
      DiskSpaceGuard diskSpace,
      Consumer<ColumnFamilyStore> afterIngest) {
    this.store = store;
    this.liveFiles = liveFiles;
    this.diskSpace = diskSpace;
    this.afterIngest = afterIngest;
    this.truncations = store.truncations();
    this.open = store.beginIngest();
  }

  /**
   * Begins a row.
   *
   * @param key greater than the row before
   * @param rowDeletion of the whole row, or none
   * @param open the range deletion in force where the row begins, or none
   * @throws DiskFullException if there is no room for more
   */
  public void startRow(RowKey key, DeletionTime rowDeletion, DeletionTime open) throws IOException {
    if (bytesWritten() >= lookAtBytes) {
      diskSpace.requireForMerge(LOOK_BYTES);
      lookAtBytes = bytesWritten() + LOOK_BYTES;
    }
    SSTableWriter current = writer;
    if (current != null && current.bytesWritten() >= FILE_BYTES) {
      endFile(current);
      current = null;
    }
    if (current == null) {
      current = liveFiles.newFile(store);
      writer = current;
    }
    current.startRow(key, rowDeletion, open);
  }

  /** Adds the next atom of the row. */
  public void add(Atom atom) throws IOException {
    current().add(atom);
  }

  /** Ends the row. */
  public void endRow() throws IOException {
    current().endRow();
  }

  private SSTableWriter current() {
    if (writer == null) {
      throw new IllegalStateException("no row was begun");
    }
    return writer;
  }

  private void endFile(SSTableWriter ended) throws IOException {
    writer = null;
    try (ended) {
      if (ended.rows() > 0) {
        SSTable file = ended.finish();
        files.add(file);
        finishedBytes += file.diskBytes();
      }
    }
  }

  /** Bytes of whole files, and of the blocks of the one that is being written. */
  public long bytesWritten() {
    SSTableWriter current = writer;
    return finishedBytes + (current == null ? 0 : current.bytesWritten());
  }

  /**
   * Makes all rows durable, then visible.
   *
   * @return fails if the family was truncated or dropped meanwhile, or with the manifest; nothing
   *     is left then
   * @throws IOException if a file could not be completed; {@link #abandon} has to follow
   */
  public CompletableFuture<Void> finish() throws IOException {
    SSTableWriter current = writer;
    if (current != null) {
      endFile(current);
    }
    over = true;
    CompletableFuture<Void> taken =
        open.until(
            files.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : Then.called(() -> liveFiles.ingested(store, files, truncations)));
    Then.whenDone(
        taken,
        (done, failure) -> {
          if (failure == null && !files.isEmpty()) {
            afterIngest.accept(store);
          }
        });
    return taken;
  }

  /** Discards what was written, unless it was finished. Idempotent. */
  public void abandon() throws IOException {
    if (over) {
      return;
    }
    over = true;
    open.close();
    SSTableWriter current = writer;
    writer = null;
    try {
      files.forEach(LiveFileSet::forget);
    } finally {
      if (current != null) {
        current.close();
      }
    }
  }
}
