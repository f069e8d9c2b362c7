package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.DeletionTime;
import org.jspecify.annotations.Nullable;

/**
 * Encodes cells, deletions and bounds as bytes for log records, hints and messages;
 * MutationFormat.md beside this class gives the layout.
 *
 * <p>Thread-safe: it has no state.
 */
public final class AtomCodec {
  private static final int KIND_MASK = 0b11;
  private static final int HAS_SUB = 0b100;
  private static final int SAME_TOP = 0b1000;

  private AtomCodec() {}

  /** Appends a deletion, or a mark that there is none. */
  public static void writeDeletion(DeletionTime deletion, ByteWriter out) {
    out.writeByte(deletion.isNone() ? 0 : 1);
    if (!deletion.isNone()) {
      out.writeLong(deletion.timestamp());
      out.writeSignedVarint(deletion.deletedAtSeconds());
    }
  }

  /** Reads what {@link #writeDeletion} wrote. */
  public static DeletionTime readDeletion(ByteReader in) throws CorruptDataException {
    int present = in.readByte();
    if (present > 1) {
      throw in.corrupt("deletion", "0 or 1", "" + present);
    }
    return present == 0
        ? DeletionTime.NONE
        : new DeletionTime(in.readLong(), in.readSignedVarint());
  }

  /** Appends a bound. */
  public static void writeBound(Bound bound, ByteWriter out) {
    out.writeByte(bound.weight() + 2);
    byte[] sub = bound.sub();
    out.writeByte(sub == null ? 0 : 1);
    out.writeBytes(bound.top());
    if (sub != null) {
      out.writeBytes(sub);
    }
  }

  /** Reads what {@link #writeBound} wrote. */
  public static Bound readBound(ByteReader in) throws CorruptDataException {
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

  /**
   * Appends a cell.
   *
   * @param sameTop whether the cell has the same first name as the cell before it; the name is then
   *     left out
   */
  public static void writeCell(Cell cell, boolean sameTop, ByteWriter out) {
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
    if (cell.kind() == Cell.CellKind.EXPIRING) {
      out.writeVarint(cell.ttlSeconds());
    }
    if (cell.kind() != Cell.CellKind.LIVE) {
      out.writeSignedVarint(cell.localSeconds());
    }
    if (cell.kind() != Cell.CellKind.DELETED) {
      out.writeBytes(cell.valueArray(), cell.valueOffset(), cell.valueLength());
    }
  }

  /**
   * Reads what {@link #writeCell} wrote.
   *
   * @param previousTop the first name of the cell before it; null if there is none
   */
  public static Cell readCell(ByteReader in, byte @Nullable [] previousTop)
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
    if (kind == Cell.CellKind.LIVE.code()) {
      return Cell.live(top, sub, readValue(in), timestamp);
    }
    if (kind == Cell.CellKind.EXPIRING.code()) {
      int ttlSeconds = in.readVarint("time to live", Integer.MAX_VALUE);
      long expiresAtSeconds = in.readSignedVarint();
      return Cell.expiring(top, sub, readValue(in), timestamp, ttlSeconds, expiresAtSeconds);
    }
    if (kind == Cell.CellKind.DELETED.code()) {
      return Cell.deleted(top, sub, new DeletionTime(timestamp, in.readSignedVarint()));
    }
    throw in.corrupt("cell", "a kind of 0, 1 or 2", "" + kind);
  }

  public static byte[] readName(ByteReader in) throws CorruptDataException {
    return in.readBytes("name", DataLimits.NAME_BYTES);
  }

  private static byte[] readValue(ByteReader in) throws CorruptDataException {
    return in.readBytes("value", Integer.MAX_VALUE);
  }
}
