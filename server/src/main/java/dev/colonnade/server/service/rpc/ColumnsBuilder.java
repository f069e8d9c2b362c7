package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.SuperColumn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts the cells of one row, in reading order, to columns or super columns. For each cell it
 * knows how many bytes the cell would add and where a reader would continue after it. For one
 * thread.
 */
final class ColumnsBuilder {

  /** Upper bound of what surrounds a name and a value: tags, lengths, timestamp, time to live. */
  private static final int COLUMN_BYTES = 44;

  /** Upper bound of what surrounds a super column's name. */
  private static final int SUPER_COLUMN_BYTES = 16;

  private final boolean grouped;
  private final boolean reversed;
  private final ColumnComparator topType;
  private final @Nullable SlicePosition from;
  private final List<ColumnOrSuperColumn> columns = new ArrayList<>();
  private SuperColumn.@Nullable Builder group;
  private byte @Nullable [] lastTop;
  private @Nullable Cell last;
  private long counted;

  /**
   * Starts a row's part.
   *
   * @param slice decides between super columns and the columns of one level, and the direction
   * @param topType decides which cells belong to the same super column
   * @param from where the part before ended; null at the start of the row
   */
  ColumnsBuilder(Slice slice, ColumnComparator topType, @Nullable SlicePosition from) {
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
    int bytes = COLUMN_BYTES + cell.name().length + cell.value().length;
    boolean opensGroup = grouped && (group == null || !continues(cell));
    return opensGroup ? bytes + SUPER_COLUMN_BYTES + cell.top().length : bytes;
  }

  void add(Cell cell) {
    if (!grouped) {
      counted++;
      columns.add(ColumnOrSuperColumn.newBuilder().setColumn(column(cell)).build());
    } else {
      boolean same = continues(cell);
      if (!same) {
        counted++;
      }
      SuperColumn.Builder open = group;
      if (open == null || !same) {
        closeGroup();
        open = SuperColumn.newBuilder().setName(bytes(cell.top()));
        group = open;
      }
      open.addColumns(column(cell));
    }
    lastTop = cell.top();
    last = cell;
  }

  /** Whether no cell was added. */
  boolean isEmpty() {
    return last == null;
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

  List<ColumnOrSuperColumn> build() {
    closeGroup();
    return columns;
  }

  private void closeGroup() {
    SuperColumn.Builder open = group;
    if (open != null) {
      columns.add(ColumnOrSuperColumn.newBuilder().setSuperColumn(open).build());
      group = null;
    }
  }

  static Column column(Cell cell) {
    Column.Builder column =
        Column.newBuilder()
            .setName(bytes(cell.name()))
            .setValue(bytes(cell.value()))
            .setTimestamp(cell.timestamp());
    if (cell.kind() == Cell.CellKind.EXPIRING) {
      column.setTtlSeconds(cell.ttlSeconds());
    }
    return column.build();
  }

  /** Wraps without copying: arrays of the model are never changed. */
  static ByteString bytes(byte[] array) {
    return UnsafeByteOperations.unsafeWrap(array);
  }
}
