package dev.colonnade.server.service.rpc;

import com.google.protobuf.CodedOutputStream;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.SuperColumn;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the cells of one row, in reading order, as the repeated field of columns or super columns
 * of a message. For each cell it knows how many bytes the cell would add at most, and where a
 * reader would continue after it. Keeps no cell but the last. For one thread at a time.
 */
final class EncodedColumns implements CellSink {

  /** Upper bound of what surrounds a name and a value: tags, lengths, timestamp, time to live. */
  private static final int COLUMN_BYTES = 44;

  /** Upper bound of what surrounds a super column's name. */
  private static final int SUPER_COLUMN_BYTES = 16;

  /** How much is encoded between two checks whether it is still wanted. */
  private static final int BYTES_BETWEEN_CHECKS = 16 << 10;

  private static final int NAME = ByteChunks.tag(Column.NAME_FIELD_NUMBER);
  private static final int VALUE = ByteChunks.tag(Column.VALUE_FIELD_NUMBER);
  private static final int TIMESTAMP = Column.TIMESTAMP_FIELD_NUMBER << 3;
  private static final int TTL_SECONDS = Column.TTL_SECONDS_FIELD_NUMBER << 3;
  private static final int COLUMN = ByteChunks.tag(ColumnOrSuperColumn.COLUMN_FIELD_NUMBER);
  private static final int SUPER_COLUMN =
      ByteChunks.tag(ColumnOrSuperColumn.SUPER_COLUMN_FIELD_NUMBER);
  private static final int SUPER_COLUMN_NAME = ByteChunks.tag(SuperColumn.NAME_FIELD_NUMBER);
  private static final int SUPER_COLUMN_COLUMNS = ByteChunks.tag(SuperColumn.COLUMNS_FIELD_NUMBER);

  private final int entryTag;
  private final boolean grouped;
  private final boolean reversed;
  private final ColumnComparator topType;
  private final @Nullable SlicePosition from;
  private final Room room;
  private final ByteChunks entries;

  /** The columns of the super column that may go on, and its name; null if there is none. */
  private @Nullable ByteChunks group;

  private byte @Nullable [] groupName;

  private byte @Nullable [] lastTop;
  private @Nullable Cell last;
  private long counted;
  private long bytes;
  private long unchecked;

  /**
   * What a page may still hold while it is read.
   *
   * @param bytes by the measure of {@link EncodedColumns#bytesOf}
   * @param check throws if the page is no longer wanted
   */
  record Room(long bytes, Runnable check) {
    /** The room of a page that is filled by an answer, which knows itself when it is full. */
    static final Room UNBOUNDED = new Room(Long.MAX_VALUE, () -> {});
  }

  /**
   * Starts a row's part.
   *
   * @param field the number of the repeated field in its message
   * @param slice decides between super columns and the columns of one level, and the direction
   * @param topType decides which cells belong to the same super column
   * @param from where the part before ended; null at the start of the row
   */
  EncodedColumns(int field, Slice slice, ColumnComparator topType, @Nullable SlicePosition from) {
    this(field, slice, topType, from, Room.UNBOUNDED, new ByteChunks());
  }

  /**
   * Starts a row's part in a page that is being read.
   *
   * @param entries where to encode to; empty
   */
  EncodedColumns(
      int field,
      Slice slice,
      ColumnComparator topType,
      @Nullable SlicePosition from,
      Room room,
      ByteChunks entries) {
    this.room = room;
    this.entries = entries;
    this.entryTag = ByteChunks.tag(field);
    this.grouped = slice.bySuperColumn();
    this.reversed = slice.reversed();
    this.topType = topType;
    this.from = from;
    if (from != null) {
      counted = from.counted();
      lastTop = from.topCounted() ? from.at().top() : null;
    }
  }

  /**
   * Whether the cell is in the same super column as the cell before it, in this part or the one
   * before.
   */
  boolean continues(Cell cell) {
    byte[] top = lastTop;
    return grouped && top != null && topType.compare(top, cell.top()) == 0;
  }

  /** At most how many bytes the cell adds to the encoded answer. */
  int bytesOf(Cell cell) {
    int bytes = COLUMN_BYTES + cell.name().length + cell.valueLength();
    boolean opensGroup = grouped && (groupName == null || !continues(cell));
    return opensGroup ? bytes + SUPER_COLUMN_BYTES + cell.top().length : bytes;
  }

  @Override
  public boolean hasRoomFor(Cell cell) {
    return bytes + bytesOf(cell) <= room.bytes();
  }

  @Override
  public void add(Cell cell) {
    int assumed = bytesOf(cell);
    bytes += assumed;
    checkAfter(assumed);
    int size = size(cell);
    if (!grouped) {
      counted++;
      entries.varint(entryTag);
      entries.varint(1 + ByteChunks.sizeWithLength(size));
      entries.varint(COLUMN);
      column(cell, size, entries);
    } else {
      boolean same = continues(cell);
      if (!same) {
        counted++;
      }
      if (groupName == null || !same) {
        closeGroup();
        groupName = cell.top();
      }
      ByteChunks open = group;
      if (open == null) {
        open = new ByteChunks();
        group = open;
      }
      open.varint(SUPER_COLUMN_COLUMNS);
      column(cell, size, open);
    }
    lastTop = cell.top();
    last = cell;
  }

  @Override
  public boolean addAll(PlainCells cells) {
    int count = cells.count();
    long assumed = cells.payloadBytes() + (long) COLUMN_BYTES * count;
    if (grouped || count == 0 || bytes + assumed > room.bytes()) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      column(cells, i);
    }
    bytes += assumed;
    counted += count;
    last = cells.last();
    lastTop = cells.last().top();
    checkAfter(assumed);
    return true;
  }

  private void column(PlainCells cells, int at) {
    byte[] array = cells.array();
    int nameLength = cells.nameLength(at);
    int valueLength = cells.valueLength(at);
    long timestamp = cells.timestamp(at);
    int size = 1 + CodedOutputStream.computeInt64SizeNoTag(timestamp);
    size += nameLength > 0 ? 1 + ByteChunks.sizeWithLength(nameLength) : 0;
    size += valueLength > 0 ? 1 + ByteChunks.sizeWithLength(valueLength) : 0;
    entries.varint(entryTag);
    entries.varint(1 + ByteChunks.sizeWithLength(size));
    entries.varint(COLUMN);
    entries.varint(size);
    if (nameLength > 0) {
      entries.field(NAME, array, cells.nameFrom(at), nameLength);
    }
    if (valueLength > 0) {
      entries.field(VALUE, array, cells.valueFrom(at), valueLength);
    }
    entries.varint(TIMESTAMP);
    entries.varint(timestamp);
  }

  private void checkAfter(long encoded) {
    unchecked += encoded;
    if (unchecked > BYTES_BETWEEN_CHECKS) {
      unchecked = 0;
      room.check().run();
    }
  }

  private static int size(Cell cell) {
    int size = 1 + CodedOutputStream.computeInt64SizeNoTag(cell.timestamp());
    if (cell.name().length > 0) {
      size += 1 + ByteChunks.sizeWithLength(cell.name().length);
    }
    if (cell.valueLength() > 0) {
      size += 1 + ByteChunks.sizeWithLength(cell.valueLength());
    }
    if (cell.kind() == Cell.CellKind.EXPIRING) {
      size += 1 + CodedOutputStream.computeInt32SizeNoTag(cell.ttlSeconds());
    }
    return size;
  }

  /** Adds a column behind its tag. Fields without presence are left out if they are empty. */
  private static void column(Cell cell, int size, ByteChunks out) {
    out.varint(size);
    if (cell.name().length > 0) {
      out.field(NAME, cell.name());
    }
    if (cell.valueLength() > 0) {
      out.field(VALUE, cell.valueArray(), cell.valueOffset(), cell.valueLength());
    }
    out.varint(TIMESTAMP);
    out.varint(cell.timestamp());
    if (cell.kind() == Cell.CellKind.EXPIRING) {
      out.varint(TTL_SECONDS);
      out.varint(cell.ttlSeconds());
    }
  }

  /** The sum of {@link #bytesOf} for all cells. */
  long bytes() {
    return bytes;
  }

  @Override
  public boolean isEmpty() {
    return last == null;
  }

  /** The heap of what was encoded. */
  long heapBytes() {
    return entries.heapBytes() + (group == null ? 0 : group.heapBytes());
  }

  /** The position after the last cell; null if there was none, in this part or before it. */
  @Nullable SlicePosition position() {
    Cell cell = last;
    if (cell == null) {
      return from;
    }
    // Inside a super column cells are read in ascending order even if super columns are read in
    // reverse.
    boolean below = reversed && !grouped;
    return new SlicePosition(below ? Bound.before(cell) : Bound.after(cell), grouped, counted);
  }

  /** Everything that was added; to be used once, and nothing can be added after that. */
  ByteChunks finish() {
    closeGroup();
    return entries;
  }

  /** Begins the row behind this one, which gets nothing more, in the same arrays. */
  ByteChunks behind() {
    closeGroup();
    return ByteChunks.behind(entries);
  }

  private void closeGroup() {
    byte[] name = groupName;
    ByteChunks open = group;
    if (name == null || open == null) {
      return;
    }
    long size = open.size();
    if (name.length > 0) {
      size += 1 + ByteChunks.sizeWithLength(name.length);
    }
    entries.varint(entryTag);
    entries.varint(1 + ByteChunks.sizeWithLength(size));
    entries.varint(SUPER_COLUMN);
    entries.varint(size);
    if (name.length > 0) {
      entries.field(SUPER_COLUMN_NAME, name);
    }
    entries.append(open);
    open.clear();
    groupName = null;
  }
}
