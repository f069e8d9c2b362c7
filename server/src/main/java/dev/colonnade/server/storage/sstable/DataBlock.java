package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.cache.CachedBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A data block in memory: its bytes, and where its rows and atoms begin, so that finding one is a
 * binary search. The bytes were parsed once when they were read, so every length inside is known to
 * be sound.
 *
 * <p>Thread-safe; the {@link ByteReader} that the methods borrow is the caller's.
 */
final class DataBlock implements CachedBlock {
  static final int FIRST_CONTINUES = 1;
  static final int LAST_CONTINUES = 2;
  static final int HEADER_BYTES = 9;

  static final int TYPE_MASK = 3;
  static final int TYPE_ROW = 0;
  static final int TYPE_CELL = 1;
  static final int TYPE_MARKER = 2;

  static final int ROW_DELETED = 1 << 2;
  static final int ROW_OPEN = 1 << 3;
  static final int ROW_CONTINUES = 1 << 4;

  static final int KIND_SHIFT = 2;
  static final int HAS_SUB = 1 << 4;
  static final int TOP_ELSEWHERE = 1 << 5;

  static final int WEIGHT_SHIFT = 2;
  static final int MARKER_HAS_SUB = 1 << 5;
  static final int HAS_BEFORE = 1 << 6;
  static final int HAS_AFTER = 1 << 7;

  /** What the tags of all live cells have in common. */
  private static final int LIVE_MASK = TYPE_MASK | 3 << KIND_SHIFT;

  private static final int LIVE_TAG = TYPE_CELL | Cell.CellKind.LIVE.code() << KIND_SHIFT;

  private static final int OBJECT_BYTES = 160;

  /** A block is mostly one value if the rest of it is at most this part of the value. */
  private static final int MOSTLY_VALUE = 8;

  private static final byte[] NO_VALUE = {};

  private final byte[] bytes;
  private final long base;

  /** Where each row's header begins. */
  private final int[] rowAt;

  /** The first atom of each row, and the number of atoms at the end. */
  private final int[] firstAtomOf;

  /** Where each atom begins. */
  private final int[] atomAt;

  /** Which atoms are markers, ascending. */
  private final int[] markers;

  private DataBlock(byte[] bytes, long base, DataBlockParser parser) {
    this.bytes = bytes;
    this.base = base;
    this.rowAt = parser.rowAt();
    this.firstAtomOf = parser.firstAtomOf();
    this.atomAt = parser.atomAt();
    this.markers = parser.markers();
  }

  /**
   * Parses a block.
   *
   * @throws CorruptDataException if it is not one, which a matching checksum makes all but
   *     impossible
   */
  static DataBlock parse(byte[] bytes) throws CorruptDataException {
    DataBlockParser parser = new DataBlockParser(bytes);
    parser.parse();
    ByteReader reader = new ByteReader(bytes);
    reader.skip(1);
    return new DataBlock(bytes, reader.readLong(), parser);
  }

  @Override
  public int weightBytes() {
    long entries = (long) rowAt.length + firstAtomOf.length + atomAt.length + markers.length;
    return (int) Math.min(Integer.MAX_VALUE - 1024, OBJECT_BYTES + bytes.length + 4 * entries);
  }

  ByteReader reader() {
    return new ByteReader(bytes);
  }

  /** How many rows have atoms or headers here; at least one. */
  int rows() {
    return rowAt.length;
  }

  /** Whether the row began in an earlier block. */
  boolean continuesFromBefore(int row) {
    return row == 0 && (bytes[0] & FIRST_CONTINUES) != 0;
  }

  /** Whether the row goes on in the next block. */
  boolean continuesAfter(int row) {
    return row == rowAt.length - 1 && (bytes[0] & LAST_CONTINUES) != 0;
  }

  int firstAtom(int row) {
    return firstAtomOf[row];
  }

  int endAtom(int row) {
    return firstAtomOf[row + 1];
  }

  int atoms() {
    return atomAt.length;
  }

  /**
   * Whether a row is whole in this block and has nothing but live cells: no deletion, and nothing
   * that expires. Of such a row nothing can be purged.
   */
  boolean isPlain(int row) {
    if ((bytes[rowAt[row]] & (ROW_DELETED | ROW_OPEN | ROW_CONTINUES)) != 0
        || continuesAfter(row)) {
      return false;
    }
    for (int atom = firstAtomOf[row]; atom < firstAtomOf[row + 1]; atom++) {
      if ((bytes[atomAt[atom]] & LIVE_MASK) != LIVE_TAG) {
        return false;
      }
    }
    return true;
  }

  /** Whether some atoms are live cells of a Standard family. */
  boolean isPlain(int from, int to) {
    for (int atom = from; atom < to; atom++) {
      if ((bytes[atomAt[atom]] & (LIVE_MASK | HAS_SUB)) != LIVE_TAG) {
        return false;
      }
    }
    return true;
  }

  /** Finds the parts of cells that are {@link #isPlain(int, int)} in the block's bytes. */
  void find(int from, int to, PlainCells cells, ByteReader reader) throws CorruptDataException {
    cells.begin(bytes, to - from);
    for (int atom = from; atom < to; atom++) {
      int tag = at(reader, atomAt[atom]).readByte();
      boolean elsewhere = (tag & TOP_ELSEWHERE) != 0;
      int back = 0;
      if (elsewhere) {
        int place = reader.readVarint("place of a name", bytes.length);
        back = reader.position();
        reader.position(place);
      }
      int nameLength = reader.readLength("name", bytes.length);
      int nameFrom = reader.arrayPosition();
      if (elsewhere) {
        reader.position(back);
      } else {
        reader.skip(nameLength);
      }
      long timestamp = base + reader.readSignedVarint();
      int valueLength = reader.readLength("value", bytes.length);
      cells.add(nameFrom, nameLength, reader.arrayPosition(), valueLength, timestamp);
    }
  }

  /** Finds the parts of a live cell in the block's bytes. */
  void liveCell(int atom, EncodedCell cell, ByteReader reader) throws CorruptDataException {
    cell.find(at(reader, atomAt[atom]), base);
  }

  RowKey rowKey(int row, ByteReader reader) throws CorruptDataException {
    at(reader, rowAt[row] + 1);
    byte[] token = reader.readBytes("token", bytes.length);
    return new RowKey(token, reader.readBytes("key", bytes.length));
  }

  /** The row's index, or minus one minus the index of the first row after the key. */
  int findRow(RowKey key, ByteReader reader) throws CorruptDataException {
    int low = 0;
    int high = rowAt.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int comparison = KeyBytes.compare(at(reader, rowAt[middle] + 1), key);
      if (comparison == 0) {
        return middle;
      }
      if (comparison < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return -low - 1;
  }

  DeletionTime rowDeletion(int row, ByteReader reader) throws CorruptDataException {
    int tag = bytes[rowAt[row]];
    if ((tag & ROW_DELETED) == 0) {
      return DeletionTime.NONE;
    }
    KeyBytes.skip(at(reader, rowAt[row] + 1));
    return deletion(reader);
  }

  /**
   * The range deletion in force just before an atom of the row, or at the end of the row's part
   * here.
   */
  DeletionTime openBefore(int row, int atom, ByteReader reader) throws CorruptDataException {
    int found = Arrays.binarySearch(markers, atom);
    int last = (found >= 0 ? found : -found - 1) - 1;
    if (last >= 0 && markers[last] >= firstAtomOf[row]) {
      return ((RangeTombstoneMarker) atom(markers[last], reader)).after();
    }
    int tag = bytes[rowAt[row]];
    if ((tag & ROW_OPEN) == 0) {
      return DeletionTime.NONE;
    }
    KeyBytes.skip(at(reader, rowAt[row] + 1));
    if ((tag & ROW_DELETED) != 0) {
      deletion(reader);
    }
    return deletion(reader);
  }

  /** The first atom of the row that is after {@code bound}, or at it if {@code inclusive}. */
  int search(
      int row,
      Position bound,
      boolean inclusive,
      PathOrder order,
      SearchKey probe,
      ByteReader reader)
      throws CorruptDataException {
    int low = firstAtomOf[row];
    int high = firstAtomOf[row + 1];
    while (low < high) {
      int middle = (low + high) >>> 1;
      int comparison = order.compare(position(middle, probe, reader), bound);
      if (comparison < 0 || (comparison == 0 && !inclusive)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The weight of an atom's position, which is that of a bound for a marker and 0 for a cell. */
  int weight(int atom) {
    int tag = bytes[atomAt[atom]];
    return (tag & TYPE_MASK) == TYPE_MARKER ? ((tag >> WEIGHT_SHIFT) & 7) - 2 : 0;
  }

  Position position(int atom, SearchKey probe, ByteReader reader) throws CorruptDataException {
    int tag = at(reader, atomAt[atom]).readByte();
    boolean marker = (tag & TYPE_MASK) == TYPE_MARKER;
    byte[] top = top(tag, marker, reader);
    byte[] sub = sub(tag, marker, reader);
    return probe.set(top, sub, marker ? ((tag >> WEIGHT_SHIFT) & 7) - 2 : 0);
  }

  Atom atom(int atom, ByteReader reader) throws CorruptDataException {
    int tag = at(reader, atomAt[atom]).readByte();
    boolean marker = (tag & TYPE_MASK) == TYPE_MARKER;
    byte[] top = top(tag, marker, reader);
    byte[] sub = sub(tag, marker, reader);
    if (marker) {
      DeletionTime before = (tag & HAS_BEFORE) != 0 ? deletion(reader) : DeletionTime.NONE;
      DeletionTime after = (tag & HAS_AFTER) != 0 ? deletion(reader) : DeletionTime.NONE;
      return new RangeTombstoneMarker(
          bound(top, sub, ((tag >> WEIGHT_SHIFT) & 7) - 2), before, after);
    }
    long timestamp = base + reader.readSignedVarint();
    int kind = (tag >> KIND_SHIFT) & 3;
    if (kind == Cell.CellKind.LIVE.code()) {
      int length = reader.readLength("value", bytes.length);
      return withValue(Cell.live(top, sub, ownValue(length, reader), timestamp), length, reader);
    }
    if (kind == Cell.CellKind.DELETED.code()) {
      return Cell.deleted(top, sub, new DeletionTime(timestamp, reader.readSignedVarint()));
    }
    int ttlSeconds = (int) reader.readVarint();
    long expiresAtSeconds = reader.readSignedVarint();
    int length = reader.readLength("value", bytes.length);
    byte[] value = ownValue(length, reader);
    return withValue(
        Cell.expiring(top, sub, value, timestamp, ttlSeconds, expiresAtSeconds), length, reader);
  }

  /**
   * Whether a value of that length stays in the block's array instead of being copied: when it is
   * nearly all of the block, so that a cell that outlives the block holds little else in memory.
   */
  private boolean staysInBlock(int length) {
    return bytes.length - length <= length / MOSTLY_VALUE;
  }

  private byte[] ownValue(int length, ByteReader reader) throws CorruptDataException {
    return staysInBlock(length) ? NO_VALUE : reader.readRaw(length);
  }

  private Cell withValue(Cell cell, int length, ByteReader reader) {
    return staysInBlock(length) ? cell.withValueIn(bytes, reader.position(), length) : cell;
  }

  static Bound bound(byte[] top, byte @Nullable [] sub, int weight) {
    return switch (weight) {
      case -2 -> Bound.START;
      case 2 -> Bound.END;
      case -1 -> Bound.before(top, sub);
      default -> Bound.after(top, sub);
    };
  }

  private byte[] top(int tag, boolean marker, ByteReader reader) throws CorruptDataException {
    if (marker || (tag & TOP_ELSEWHERE) == 0) {
      return reader.readBytes("name", bytes.length);
    }
    int elsewhere = reader.readVarint("place of a name", bytes.length);
    int back = reader.position();
    reader.position(elsewhere);
    byte[] top = reader.readBytes("name", bytes.length);
    reader.position(back);
    return top;
  }

  private byte @Nullable [] sub(int tag, boolean marker, ByteReader reader)
      throws CorruptDataException {
    return (tag & (marker ? MARKER_HAS_SUB : HAS_SUB)) != 0
        ? reader.readBytes("subcolumn name", bytes.length)
        : null;
  }

  private DeletionTime deletion(ByteReader reader) throws CorruptDataException {
    long timestamp = base + reader.readSignedVarint();
    return new DeletionTime(timestamp, reader.readSignedVarint());
  }

  private ByteReader at(ByteReader reader, int offset) throws CorruptDataException {
    if (reader.array() != bytes) {
      reader.reset(bytes, 0, bytes.length);
    }
    reader.position(offset);
    return reader;
  }
}
