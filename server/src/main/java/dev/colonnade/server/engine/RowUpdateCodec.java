package dev.colonnade.server.engine;

import dev.colonnade.server.codec.ByteReader;
import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.model.Bound;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.RangeDeletion;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The atoms of a row as bytes, in log records and in messages. Equal updates have equal bytes.
 *
 * <p>Thread-safe: it has no state.
 */
final class RowUpdateCodec {

  /** A key, and one byte more for the place right behind a key. */
  private static final int KEY_BYTES_MAX = 65_536;

  private static final int NAME_BYTES_MAX = 65_535;
  private static final int TOKEN_BYTES_MAX = 1 << 20;

  private static final int KIND_MASK = 0b11;
  private static final int HAS_SUB = 0b100;
  private static final int SAME_TOP = 0b1000;

  private RowUpdateCodec() {}

  static void writeKey(RowKey key, ByteWriter out) {
    out.writeBytes(key.token());
    out.writeBytes(key.key());
  }

  static RowKey readKey(ByteReader in) throws CorruptDataException {
    return new RowKey(
        in.readBytes("token", TOKEN_BYTES_MAX), in.readBytes("row key", KEY_BYTES_MAX));
  }

  static void write(RowUpdate update, ByteWriter out) {
    writeDeletion(update.rowDeletion(), out);
    out.writeVarint(update.ranges().size());
    for (RangeDeletion range : update.ranges()) {
      writeBound(range.start(), out);
      writeBound(range.end(), out);
      writeDeletion(range.deletion(), out);
    }
    out.writeVarint(update.cells().size());
    byte[] top = null;
    for (Cell cell : update.cells()) {
      writeCell(cell, cell.top() == top || Arrays.equals(cell.top(), top), out);
      top = cell.top();
    }
  }

  static RowUpdate read(ByteReader in) throws CorruptDataException {
    DeletionTime rowDeletion = readDeletion(in);
    int rangeCount = in.readLength("range deletions", Integer.MAX_VALUE);
    List<RangeDeletion> ranges = new ArrayList<>(Math.min(rangeCount, 1_024));
    for (int i = 0; i < rangeCount; i++) {
      ranges.add(new RangeDeletion(readBound(in), readBound(in), readDeletion(in)));
    }
    int cellCount = in.readLength("cells", Integer.MAX_VALUE);
    List<Cell> cells = new ArrayList<>(Math.min(cellCount, 1_024));
    byte[] top = null;
    for (int i = 0; i < cellCount; i++) {
      Cell cell = readCell(in, top);
      cells.add(cell);
      top = cell.top();
    }
    return RowUpdate.ofCanonical(rowDeletion, ranges, cells);
  }

  private static void writeDeletion(DeletionTime deletion, ByteWriter out) {
    out.writeByte(deletion.isNone() ? 0 : 1);
    if (!deletion.isNone()) {
      out.writeLong(deletion.timestamp());
      out.writeSignedVarint(deletion.deletedAtSeconds());
    }
  }

  private static DeletionTime readDeletion(ByteReader in) throws CorruptDataException {
    int present = in.readByte();
    if (present > 1) {
      throw in.corrupt("deletion", "0 or 1", "" + present);
    }
    return present == 0
        ? DeletionTime.NONE
        : new DeletionTime(in.readLong(), in.readSignedVarint());
  }

  static void writeBound(Bound bound, ByteWriter out) {
    out.writeByte(bound.weight() + 2);
    byte[] sub = bound.sub();
    out.writeByte(sub == null ? 0 : 1);
    out.writeBytes(bound.top());
    if (sub != null) {
      out.writeBytes(sub);
    }
  }

  static Bound readBound(ByteReader in) throws CorruptDataException {
    int weight = in.readByte() - 2;
    boolean hasSub = in.readByte() == 1;
    byte[] top = readName(in);
    byte[] sub = hasSub ? readName(in) : null;
    return switch (weight) {
      case -2 -> Bound.START;
      case -1 -> Bound.before(top, sub);
      case 1 -> Bound.after(top, sub);
      case 2 -> Bound.END;
      default -> throw in.corrupt("bound", "a weight of 0, 1, 3 or 4", "" + (weight + 2));
    };
  }

  private static void writeCell(Cell cell, boolean sameTop, ByteWriter out) {
    byte[] sub = cell.sub();
    int flags = cell.kind().code() | (sub == null ? 0 : HAS_SUB) | (sameTop ? SAME_TOP : 0);
    out.writeByte(flags);
    if (!sameTop) {
      out.writeBytes(cell.top());
    }
    if (sub != null) {
      out.writeBytes(sub);
    }
    out.writeLong(cell.timestamp());
    if (cell.kind() == Cell.Kind.EXPIRING) {
      out.writeVarint(cell.ttlSeconds());
    }
    if (cell.kind() != Cell.Kind.LIVE) {
      out.writeSignedVarint(cell.localSeconds());
    }
    if (cell.kind() != Cell.Kind.DELETED) {
      out.writeBytes(cell.value());
    }
  }

  static byte[] readName(ByteReader in) throws CorruptDataException {
    return in.readBytes("name", NAME_BYTES_MAX);
  }

  private static Cell readCell(ByteReader in, byte @Nullable [] previousTop)
      throws CorruptDataException {
    int flags = in.readByte();
    byte[] top;
    if ((flags & SAME_TOP) == 0) {
      top = readName(in);
    } else if (previousTop != null) {
      top = previousTop;
    } else {
      throw in.corrupt("cell", "a name before it is repeated", "none");
    }
    byte[] sub = (flags & HAS_SUB) == 0 ? null : readName(in);
    long timestamp = in.readLong();
    int kind = flags & KIND_MASK;
    if (kind == Cell.Kind.LIVE.code()) {
      return Cell.live(top, sub, readValue(in), timestamp);
    }
    if (kind == Cell.Kind.EXPIRING.code()) {
      int ttlSeconds = in.readVarint("time to live", Integer.MAX_VALUE);
      long expiresAtSeconds = in.readSignedVarint();
      return Cell.expiring(top, sub, readValue(in), timestamp, ttlSeconds, expiresAtSeconds);
    }
    if (kind == Cell.Kind.DELETED.code()) {
      return Cell.deleted(top, sub, new DeletionTime(timestamp, in.readSignedVarint()));
    }
    throw in.corrupt("cell", "a kind of 0, 1 or 2", "" + kind);
  }

  private static byte[] readValue(ByteReader in) throws CorruptDataException {
    return in.readBytes("value", Integer.MAX_VALUE);
  }
}
