package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowKey;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole data file, from its first row to its last, for compaction and verification. Blocks
 * are read in file order, checked, and not put into the block cache. Holds the file until closed.
 * One thread at a time; may block.
 */
public final class SSTableScan implements Closeable {
  private final BlockReader data;
  private final Closeable source;
  private final BlockWalk walk;
  private final ByteReader reader = new ByteReader(new byte[0]);
  private @Nullable DataBlock block;
  private int row = -1;
  private int atom;
  private boolean closed;

  SSTableScan(SSTable table) {
    this(table.components().data(), table.components().footer(), table::release);
  }

  private SSTableScan(BlockReader data, OpenComponents.DataFooter footer, Closeable source) {
    this.data = data;
    this.source = source;
    this.walk = new BlockWalk(data, footer);
  }

  /**
   * Opens the rows of a file that no node has open, without its other components, none of which is
   * read or rebuilt. Writes nothing.
   *
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if header or footer are damaged
   * @throws MismatchedFileException if it is another file
   */
  public static SSTableScan ofData(FileSystem files, SSTableIdentity identity) throws IOException {
    BlockReader data = BlockReader.open(files, identity, Component.DATA);
    try {
      return new SSTableScan(data, OpenComponents.DataFooter.read(data), data);
    } catch (IOException | RuntimeException failure) {
      data.close();
      throw failure;
    }
  }

  /**
   * Goes to the next row, skipping the rest of the current one.
   *
   * @return null at the end
   * @throws dev.colonnade.server.base.codec.CorruptFileException if a block is damaged
   */
  public @Nullable RowKey nextRow() throws IOException {
    DataBlock current = block;
    row++;
    while (current == null || row >= current.rows()) {
      current = load();
      if (current == null) {
        row = 0;
        return null;
      }
      row = current.continuesFromBefore(0) ? 1 : 0;
    }
    atom = current.firstAtom(row);
    try {
      return current.rowKey(row, reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), walk.offset());
    }
  }

  /**
   * The current row, whole and forwards; to be read before {@link #nextRow} is called again, and
   * once only.
   */
  public AtomCursor atoms() throws IOException {
    DataBlock current = currentBlock();
    try {
      DeletionTime rowDeletion = current.rowDeletion(row, reader);
      DeletionTime open = current.openBefore(row, current.firstAtom(row), reader);
      return new RowAtoms(rowDeletion, open);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), walk.offset());
    }
  }

  /**
   * Whether {@link #copyTo} can copy the current row: it is whole in one block, and nothing of it
   * is deleted or expires.
   */
  public boolean isPlain() {
    return currentBlock().isPlain(row);
  }

  /**
   * Copies the current row, which is plain, without decoding its cells; to be called before {@link
   * #nextRow} is called again.
   *
   * @param writer of a file of the same family and order
   * @param key of the current row
   * @return how many cells it has
   */
  public int copyTo(SSTableWriter writer, RowKey key) throws IOException {
    DataBlock current = currentBlock();
    try {
      writer.copyRow(key, current, row, reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), walk.offset());
    }
    return current.endAtom(row) - current.firstAtom(row);
  }

  /** Bytes of the file read so far. */
  public long bytesRead() {
    return walk.bytesRead();
  }

  /** Bytes of the file to be read in all. */
  public long totalBytes() {
    return walk.totalBytes();
  }

  /** Releases the reference, or closes the file. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      source.close();
    }
  }

  private DataBlock currentBlock() {
    DataBlock current = block;
    if (current == null || row < 0) {
      throw new IllegalStateException("a scan has no row before nextRow was called");
    }
    return current;
  }

  private @Nullable DataBlock load() throws IOException {
    DataBlock loaded = walk.next();
    block = loaded;
    return loaded;
  }

  private @Nullable Atom nextAtom() throws IOException {
    DataBlock current = block;
    while (current != null && atom == current.endAtom(row)) {
      if (!current.continuesAfter(row)) {
        return null;
      }
      current = load();
      if (current == null || !current.continuesFromBefore(0)) {
        throw data.corrupt(walk.offset(), "the continuation of a row", "another row or the end");
      }
      row = 0;
      atom = current.firstAtom(0);
    }
    if (current == null) {
      return null;
    }
    try {
      return current.atom(atom++, reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), walk.offset());
    }
  }

  private final class RowAtoms implements AtomCursor {
    private final DeletionTime rowDeletion;
    private final DeletionTime open;

    RowAtoms(DeletionTime rowDeletion, DeletionTime open) {
      this.rowDeletion = rowDeletion;
      this.open = open;
    }

    @Override
    public DeletionTime rowDeletion() {
      return rowDeletion;
    }

    @Override
    public DeletionTime open() {
      return open;
    }

    @Override
    public @Nullable Atom next() throws IOException {
      return nextAtom();
    }
  }
}
