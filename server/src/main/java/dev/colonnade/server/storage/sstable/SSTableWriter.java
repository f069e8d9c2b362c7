package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes one data file with its components. Rows come in ascending order, the atoms of each in path
 * order; both are checked. Everything is written under temporary names: {@link #finish} leaves a
 * durable file under its final names; otherwise nothing is left except files that the next start
 * deletes.
 *
 * <p>Memory does not grow with the input: it holds a block of data, a block of each level of the
 * index, and a fixed amount for row positions; only the filter (some bits for each row) is built in
 * memory at the end.
 *
 * <p>One thread at a time; every call may block. After any exception only {@link #close} is
 * allowed.
 */
public final class SSTableWriter implements Closeable {
  private final SSTableResources resources;
  private final SSTableIdentity identity;
  private final BlockWriter data;
  private final ComponentWriter derived;
  private final DataBlockBuilder block;
  private final int blockBytes;
  private final EncodedCell copied = new EncodedCell();
  private @Nullable RowKey row;
  private @Nullable RowKey lastRow;
  private DeletionTime rowDeletion = DeletionTime.NONE;
  private DeletionTime open = DeletionTime.NONE;

  /** Whether the current row's header was written, in this block or an earlier one. */
  private boolean rowBegun;

  private @Nullable Position lastPosition;
  private @Nullable RowKey blockKey;
  private @Nullable Position blockPath;
  private long markers;
  private boolean published;
  private boolean finished;

  private SSTableWriter(
      SSTableResources resources,
      SSTableIdentity identity,
      BlockWriter data,
      ComponentWriter derived) {
    this.resources = resources;
    this.identity = identity;
    this.data = data;
    this.derived = derived;
    this.blockBytes = resources.settings().blockBytes();
    this.block = new DataBlockBuilder(blockBytes);
    block.begin(false);
  }

  /**
   * Starts a file. Its directory must exist; temporary files of an earlier attempt are deleted.
   *
   * @throws IOException if it cannot be created
   */
  public static SSTableWriter create(SSTableResources resources, SSTableIdentity identity)
      throws IOException {
    ComponentFiles.deleteTemporaries(resources.files(), identity);
    BlockWriter data =
        BlockWriter.create(
            resources.files(), identity, Component.DATA, resources.settings().compression());
    try {
      return new SSTableWriter(
          resources, identity, data, ComponentWriter.create(resources, identity));
    } catch (IOException failure) {
      data.close();
      throw failure;
    }
  }

  /** Begins a row without a range deletion in force where its cells begin. */
  public void startRow(RowKey key, DeletionTime deletionOfRow) {
    startRow(key, deletionOfRow, DeletionTime.NONE);
  }

  /**
   * Begins a row. A row that gets no atom and has no deletion is left out.
   *
   * @param key greater than the row before
   * @param deletionOfRow of the whole row, or none
   * @param openAtStart the range deletion in force before the first atom, as {@link
   *     dev.colonnade.server.base.model.AtomCursor#open} gives it for a cursor over the whole row
   */
  public void startRow(RowKey key, DeletionTime deletionOfRow, DeletionTime openAtStart) {
    require(row == null, "a row begins inside another");
    require(lastRow == null || lastRow.compareTo(key) < 0, "rows are not in ascending order");
    row = key;
    lastRow = key;
    rowDeletion = deletionOfRow;
    open = openAtStart;
    rowBegun = false;
    lastPosition = null;
  }

  /** Adds the next atom of the current row. */
  public void add(Atom atom) throws IOException {
    RowKey key = requireRow();
    require(
        lastPosition == null || identity.order().compare(lastPosition, atom) < 0,
        "columns are not in ascending order");
    long bound =
        atom instanceof Cell cell
            ? DataBlockBuilder.boundOf(cell)
            : DataBlockBuilder.boundOf((RangeTombstoneMarker) atom);
    makeRoom(key, bound, atom);
    if (atom instanceof RangeTombstoneMarker marker) {
      require(marker.before().equals(open), "a range deletion does not fit the one before it");
      block.marker(marker);
      open = marker.after();
      markers++;
    } else {
      block.cell((Cell) atom);
    }
    derived.atom(atom);
    lastPosition = atom;
  }

  /** Ends the current row. A range deletion that is still open reaches to the row's end. */
  public void endRow() throws IOException {
    RowKey key = requireRow();
    if (!rowBegun && !(rowDeletion.isNone() && open.isNone())) {
      makeRoom(key, 0, null);
    }
    row = null;
  }

  /**
   * Adds a whole row of another file of the same family without decoding its cells. The blocks
   * written are the same as for its cells one by one.
   *
   * @param key of the row, greater than the row before
   * @param row a plain one of {@code from}; its order was checked when it was written
   */
  void copyRow(RowKey key, DataBlock from, int row, ByteReader reader)
      throws IOException, CorruptDataException {
    startRow(key, DeletionTime.NONE);
    for (int atom = from.firstAtom(row); atom < from.endAtom(row); atom++) {
      from.liveCell(atom, copied, reader);
      long bound = DataBlockBuilder.boundOf(copied);
      boolean beginsBlock = rowBegun && block.length() + bound > blockBytes;
      makeRoom(key, bound, beginsBlock ? from.atom(atom, reader) : null);
      block.liveCell(copied);
      derived.liveCell(copied.timestamp());
    }
    endRow();
  }

  /** Rows written so far; those left out do not count. */
  public long rows() {
    return derived.rows();
  }

  /** Bytes of the data file so far; the block being filled not included. */
  public long bytesWritten() {
    return data.offset();
  }

  /**
   * Completes the file and opens it. When this returns, all of it is durable under its final names;
   * the manifest makes it part of the store.
   *
   * @return the file, with one reference, which is the caller's
   * @throws IllegalStateException if there is no row
   */
  public SSTable finish() throws IOException {
    require(row == null, "the last row is not ended");
    require(derived.rows() > 0, "a data file without rows");
    flushBlock(false);
    data.finish(footer());
    MetaFile meta = derived.finish(data.uncompressedBytes(), data.offset());
    published = true;
    derived.publish(meta);
    ComponentFiles.publish(resources.files(), identity, Component.DATA);
    resources.files().syncDirectory(identity.directory());
    closeHandles();
    SSTable written = SSTable.openNew(resources, identity);
    finished = true;
    return written;
  }

  /** Gives up and deletes what was written. */
  public void abandon() throws IOException {
    close();
  }

  /** As {@link #abandon} unless {@link #finish} succeeded. */
  @Override
  public void close() throws IOException {
    closeHandles();
    if (!finished) {
      ComponentFiles.deleteTemporaries(resources.files(), identity);
      if (published) {
        // No live set names them, and each attempt has names of its own, so they would accumulate.
        ComponentFiles.deleteAll(resources.files(), identity);
      }
    }
  }

  private void closeHandles() throws IOException {
    try (data;
        derived) {
      // Closed in any case.
    }
  }

  /** Ensures that the next atom fits the block, and that the block names the row. */
  private void makeRoom(RowKey key, long bound, @Nullable Position next) throws IOException {
    long needed = bound + (rowBegun ? 0 : DataBlockBuilder.boundOf(key));
    if (blockKey != null && block.length() + needed > blockBytes) {
      flushBlock(rowBegun);
    }
    boolean newBlock = blockKey == null;
    if (newBlock) {
      blockKey = key;
      blockPath = rowBegun ? next : null;
    }
    if (!rowBegun) {
      block.row(key, rowDeletion, false, open);
      derived.row(key, rowDeletion, open);
      rowBegun = true;
    } else if (newBlock) {
      block.row(key, rowDeletion, true, open);
    }
  }

  private void flushBlock(boolean rowContinues) throws IOException {
    if (blockKey == null) {
      return;
    }
    block.finish(rowContinues);
    long offset = data.offset();
    if (offset > RowIndexSpool.MAX_OFFSET) {
      throw new IOException(
          resources.files().describe(identity.path(Component.DATA))
              + " would exceed "
              + RowIndexSpool.MAX_OFFSET
              + " bytes, the most that a data file can have; merge fewer files at once");
    }
    int frameBytes = data.write(block.bytes(), block.length());
    derived.block(blockKey, blockPath, offset, frameBytes);
    blockKey = null;
    blockPath = null;
    block.begin(rowContinues);
  }

  private byte[] footer() {
    ByteWriter out = new ByteWriter(64);
    out.writeVarint(derived.rows());
    out.writeVarint(derived.cells());
    out.writeVarint(markers);
    out.writeVarint(data.blocks());
    out.writeVarint(data.uncompressedBytes());
    out.writeVarint(data.maxFrameBytes());
    return out.toByteArray();
  }

  private RowKey requireRow() {
    if (row == null) {
      throw new IllegalStateException("a column comes outside a row");
    }
    return row;
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(
          "data file " + identity.generation() + " in " + identity.directory() + ": " + otherwise);
    }
  }
}
