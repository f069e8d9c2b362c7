package dev.colonnade.server.base.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The live cells of a narrow row in one array, under names that it shares with other rows: two
 * objects instead of three for each cell, which the garbage collector would have to trace and move
 * for as long as the row is in memory. Cells are made when they are read. A change unpacks it.
 *
 * <p>The array has the end of each value, then the timestamps unless all cells have the same one,
 * then the values. Immutable, thread-safe.
 */
final class PackedLeaf extends SortedTree.Leaf {

  /** More bytes are not copied: they would be a greater cost than the objects around them. */
  static final int VALUE_BYTES_MAX = 16 << 10;

  /** A header, two references, a timestamp and a flag. */
  private static final int OBJECT_BYTES = 32;

  private static final int NAME_OVERHEAD_BYTES = 72;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Position[] names;
  private final byte[] data;
  private final long timestamp;
  private final boolean oneTimestamp;

  private PackedLeaf(Position[] names, byte[] data, long timestamp, boolean oneTimestamp) {
    this.names = names;
    this.data = data;
    this.timestamp = timestamp;
    this.oneTimestamp = oneTimestamp;
  }

  /** Whether cells can be packed: few, live, and of at most that many bytes together. */
  static boolean canHold(List<Cell> cells, int valueBytesMax) {
    if (cells.isEmpty() || cells.size() > SortedTree.WIDTH) {
      return false;
    }
    long bytes = 0;
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      bytes += cell.valueLength();
      if (cell.kind() != Cell.CellKind.LIVE) {
        return false;
      }
    }
    return bytes <= valueBytesMax;
  }

  /**
   * Packs cells that {@link #canHold} allows.
   *
   * @param names of the cells, in the same order
   */
  static PackedLeaf of(List<Cell> cells, Position[] names) {
    int count = names.length;
    long first = cells.get(0).timestamp();
    boolean same = true;
    int valueBytes = 0;
    for (int i = 0; i < count; i++) {
      Cell cell = cells.get(i);
      same &= cell.timestamp() == first;
      valueBytes += cell.valueLength();
    }
    int end = headerBytes(count, same);
    byte[] data = new byte[end + valueBytes];
    for (int i = 0; i < count; i++) {
      Cell cell = cells.get(i);
      System.arraycopy(cell.valueArray(), cell.valueOffset(), data, end, cell.valueLength());
      end += cell.valueLength();
      INT.set(data, i * Integer.BYTES, end);
      if (!same) {
        LONG.set(data, timestampAt(count, i), cell.timestamp());
      }
    }
    return new PackedLeaf(names, data, first, same);
  }

  private static int headerBytes(int count, boolean oneTimestamp) {
    return count * (Integer.BYTES + (oneTimestamp ? 0 : Long.BYTES));
  }

  private static int timestampAt(int count, int cell) {
    return count * Integer.BYTES + cell * Long.BYTES;
  }

  /** About how much heap this takes, without its names. */
  long heapBytes() {
    return OBJECT_BYTES + HeapSizes.ofArray(data.length);
  }

  /** About how much heap the names take, for a row that does not share them. */
  long nameBytes() {
    long bytes = 0;
    for (Position name : names) {
      byte[] sub = name.sub();
      bytes += NAME_OVERHEAD_BYTES + name.top().length + (sub == null ? 0 : sub.length);
    }
    return bytes;
  }

  @Override
  Position[] names() {
    return names;
  }

  @Override
  Cell item(int at) {
    int count = names.length;
    int from =
        at == 0 ? headerBytes(count, oneTimestamp) : (int) INT.get(data, (at - 1) * Integer.BYTES);
    int end = (int) INT.get(data, at * Integer.BYTES);
    long time = oneTimestamp ? timestamp : (long) LONG.get(data, timestampAt(count, at));
    Position name = names[at];
    return Cell.liveIn(name.top(), name.sub(), data, from, end - from, time);
  }

  /** The same cells as a leaf of objects. */
  SortedTree.ArrayLeaf unpacked() {
    Position[] items = new Position[names.length];
    for (int i = 0; i < items.length; i++) {
      items[i] = item(i);
    }
    return new SortedTree.ArrayLeaf(items);
  }

  @Override
  <E extends Position> SortedTree.TreeNode put(SortedTree.Insertion<E> insertion) {
    SortedTree.ArrayLeaf open = unpacked();
    SortedTree.TreeNode changed = open.put(insertion);
    return changed == open ? this : changed;
  }

  @Override
  <E extends Position> SortedTree.TreeNode[] putAll(SortedTree.Run<E> run, int from, int to) {
    SortedTree.ArrayLeaf open = unpacked();
    SortedTree.TreeNode[] changed = open.putAll(run, from, to);
    return changed.length == 1 && changed[0] == open ? new SortedTree.TreeNode[] {this} : changed;
  }

  @Override
  SortedTree.TreeNode part(int from, int to) {
    return unpacked().part(from, to);
  }

  @Override
  void visit(Consumer<Position> visitor) {
    for (int i = 0; i < names.length; i++) {
      visitor.accept(item(i));
    }
  }

  /** The packed cells of a tree; null if they are objects. */
  static @Nullable PackedLeaf in(SortedTree<Cell> tree) {
    return tree.root instanceof PackedLeaf packed ? packed : null;
  }
}
