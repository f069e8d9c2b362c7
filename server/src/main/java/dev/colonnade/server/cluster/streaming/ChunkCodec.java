package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.engine.RangeIngest;
import dev.colonnade.server.storage.engine.RangeScan;
import dev.colonnade.server.storage.mutation.AtomCodec;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows for a stream: a sequence of entries, each with a kind. A row begins with its key and
 * deletions, then come its atoms in order, then its end; a chunk may end anywhere in between.
 */
final class ChunkCodec {
  private static final int ROW = 1;
  private static final int CELL = 2;
  private static final int MARKER = 3;
  private static final int END = 4;

  /** Bounds the turns in which rows without content cost time and produce no bytes. */
  private static final int ROWS_PER_TURN = 4_096;

  private ChunkCodec() {}

  /** Encodes a scan as chunks; one thread at a time. */
  static final class ChunkEncoder {
    private final RangeScan scan;
    private final int chunkBytes;
    private final ByteWriter out;
    private boolean inRow;
    private boolean isOver;
    private long rows;

    ChunkEncoder(RangeScan scan, int chunkBytes) {
      this.scan = scan;
      this.chunkBytes = chunkBytes;
      this.out = new ByteWriter(chunkBytes);
    }

    /** The next chunk; it can be empty before the end. */
    byte[] next() throws IOException {
      out.resetAndShrink(chunkBytes);
      byte[] top = null;
      for (int turns = 0; out.position() < chunkBytes && turns < ROWS_PER_TURN; ) {
        if (!inRow) {
          turns++;
          if (!beginRow()) {
            return out.toByteArray();
          }
          top = null;
          continue;
        }
        Atom atom = scan.nextAtom();
        if (atom == null) {
          endRow();
        } else {
          top = write(atom, top);
        }
      }
      return out.toByteArray();
    }

    private boolean beginRow() throws IOException {
      if (!scan.nextRow()) {
        isOver = true;
        return false;
      }
      Atom first = scan.nextAtom();
      if (first == null && scan.rowDeletion().isNone() && scan.open().isNone()) {
        return true;
      }
      out.writeByte(ROW);
      out.writeBytes(scan.key().token());
      out.writeBytes(scan.key().key());
      AtomCodec.writeDeletion(scan.rowDeletion(), out);
      AtomCodec.writeDeletion(scan.open(), out);
      rows++;
      if (first == null) {
        out.writeByte(END);
      } else {
        inRow = true;
        write(first, null);
      }
      return true;
    }

    private void endRow() {
      out.writeByte(END);
      inRow = false;
    }

    private byte @Nullable [] write(Atom atom, byte @Nullable [] previousTop) {
      if (atom instanceof Cell cell) {
        out.writeByte(CELL);
        AtomCodec.writeCell(cell, cell.top() == previousTop, out);
        return cell.top();
      }
      RangeTombstoneMarker marker = (RangeTombstoneMarker) atom;
      out.writeByte(MARKER);
      AtomCodec.writeBound(marker.bound(), out);
      AtomCodec.writeDeletion(marker.before(), out);
      AtomCodec.writeDeletion(marker.after(), out);
      return previousTop;
    }

    /** Whether nothing follows the last chunk. */
    boolean isOver() {
      return isOver;
    }

    /** Rows begun so far. */
    long rows() {
      return rows;
    }
  }

  /** Writes chunks into files; one thread at a time. */
  static final class ChunkDecoder {
    private final RangeIngest ingest;
    private boolean inRow;
    private long rows;

    ChunkDecoder(RangeIngest ingest) {
      this.ingest = ingest;
    }

    /**
     * Writes the rows of the chunk.
     *
     * @throws CorruptDataException if it is not what a {@link ChunkEncoder} makes
     * @throws IllegalStateException if rows or atoms are not in order
     */
    void write(byte[] chunk) throws IOException {
      ByteReader in = new ByteReader(chunk);
      byte[] top = null;
      while (in.hasRemaining()) {
        int kind = in.readByte();
        if (inRow == (kind == ROW)) {
          throw in.corrupt("an entry of a chunk", inRow ? "an atom" : "a row", "" + kind);
        }
        switch (kind) {
          case ROW -> {
            beginRow(in);
            top = null;
          }
          case CELL -> {
            Cell cell = AtomCodec.readCell(in, top);
            ingest.add(cell);
            top = cell.top();
          }
          case MARKER ->
              ingest.add(
                  new RangeTombstoneMarker(
                      AtomCodec.readBound(in),
                      AtomCodec.readDeletion(in),
                      AtomCodec.readDeletion(in)));
          case END -> {
            ingest.endRow();
            inRow = false;
          }
          default -> throw in.corrupt("an entry of a chunk", "a kind of 1 to 4", "" + kind);
        }
      }
    }

    private void beginRow(ByteReader in) throws IOException {
      byte[] token = in.readBytes("token", DataLimits.KEY_TOKEN_BYTES);
      byte[] key = in.readBytes("row key", DataLimits.KEY_BYTES);
      DeletionTime rowDeletion = AtomCodec.readDeletion(in);
      DeletionTime open = AtomCodec.readDeletion(in);
      ingest.startRow(new RowKey(token, key), rowDeletion, open);
      inRow = true;
      rows++;
    }

    boolean inRow() {
      return inRow;
    }

    long rows() {
      return rows;
    }
  }
}
