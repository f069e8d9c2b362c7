package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes the atoms of a row for log records and messages. Equal updates have equal bytes.
 *
 * <p>Thread-safe: it has no state.
 */
public final class RowUpdateCodec {

  private RowUpdateCodec() {}

  /** Writes a row key with its token. */
  public static void writeKey(RowKey key, ByteWriter out) {
    out.writeBytes(key.token());
    out.writeBytes(key.key());
  }

  /**
   * Reads a row key with its token.
   *
   * @throws CorruptDataException if it is cut off, or longer than a key or token may be
   */
  public static RowKey readKey(ByteReader in) throws CorruptDataException {
    return new RowKey(
        in.readBytes("token", DataLimits.TOKEN_BYTES),
        in.readBytes("row key", DataLimits.KEY_POSITION_BYTES));
  }

  /** Writes the deletion of the row, its range tombstones and its cells, in this order. */
  public static void write(RowUpdate update, ByteWriter out) {
    AtomCodec.writeDeletion(update.rowDeletion(), out);
    out.writeVarint(update.ranges().size());
    for (RangeTombstone range : update.ranges()) {
      AtomCodec.writeBound(range.start(), out);
      AtomCodec.writeBound(range.end(), out);
      AtomCodec.writeDeletion(range.deletion(), out);
    }
    out.writeVarint(update.cells().size());
    byte[] top = null;
    for (Cell cell : update.cells()) {
      AtomCodec.writeCell(cell, cell.top() == top || Arrays.equals(cell.top(), top), out);
      top = cell.top();
    }
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws CorruptDataException if it is cut off, or no such encoding
   */
  public static RowUpdate read(ByteReader in) throws CorruptDataException {
    DeletionTime rowDeletion = AtomCodec.readDeletion(in);
    int rangeCount = in.readLength("range deletions", Integer.MAX_VALUE);
    List<RangeTombstone> ranges = new ArrayList<>(Math.min(rangeCount, 1_024));
    for (int i = 0; i < rangeCount; i++) {
      ranges.add(
          new RangeTombstone(
              AtomCodec.readBound(in), AtomCodec.readBound(in), AtomCodec.readDeletion(in)));
    }
    int cellCount = in.readLength("cells", Integer.MAX_VALUE);
    List<Cell> cells = new ArrayList<>(Math.min(cellCount, 1_024));
    byte[] top = null;
    for (int i = 0; i < cellCount; i++) {
      Cell cell = AtomCodec.readCell(in, top);
      cells.add(cell);
      top = cell.top();
    }
    return RowUpdate.ofCanonical(rowDeletion, ranges, cells);
  }
}
