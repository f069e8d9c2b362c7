package dev.colonnade.server.base.model;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of rows that were written lately. Rows of one kind have the same column names, and hold
 * them once instead of once each. Bounded: a few hundred lists of names, each of a kilobyte at
 * most.
 *
 * <p>One thread at a time; what it returns is immutable.
 */
public final class CellNamePool {
  private static final int LISTS = 256;

  /** Longer lists of names are hardly the same in other rows. */
  private static final int NAME_BYTES_MAX = 1 << 10;

  /** The place of a cell without the cell. Immutable; arrays are shared, not copied. */
  private static final class CellName implements Position {
    private final byte[] top;
    private final byte @Nullable [] sub;

    CellName(byte[] top, byte @Nullable [] sub) {
      this.top = top;
      this.sub = sub;
    }

    @Override
    public byte[] top() {
      return top;
    }

    @Override
    public byte @Nullable [] sub() {
      return sub;
    }

    @Override
    public int weight() {
      return 0;
    }
  }

  private final Position[] @Nullable [] lists = new Position[LISTS][];

  /** Returns the names of the cells; null if no earlier row had the same ones. */
  Position @Nullable [] find(List<Cell> cells) {
    Position[] found = lists[slot(cells)];
    return found != null && areThoseOf(found, cells) ? found : null;
  }

  /** Makes the names of the cells, and keeps them for the rows to come. */
  Position[] add(List<Cell> cells) {
    Position[] names = new Position[cells.size()];
    long bytes = 0;
    for (int i = 0; i < names.length; i++) {
      Cell cell = cells.get(i);
      names[i] = new CellName(cell.top(), cell.sub());
      bytes += cell.payloadBytes() - cell.valueLength();
    }
    if (bytes <= NAME_BYTES_MAX) {
      lists[slot(cells)] = names;
    }
    return names;
  }

  /** Whether these are the names of the cells, byte for byte. */
  static boolean areThoseOf(Position[] names, List<Cell> cells) {
    if (names.length != cells.size()) {
      return false;
    }
    for (int i = 0; i < names.length; i++) {
      Cell cell = cells.get(i);
      if (!Arrays.equals(names[i].top(), cell.top())
          || !Arrays.equals(names[i].sub(), cell.sub())) {
        return false;
      }
    }
    return true;
  }

  private static int slot(List<Cell> cells) {
    int hash = cells.size();
    for (int i = 0; i < cells.size(); i++) {
      hash = 31 * hash + Arrays.hashCode(cells.get(i).name());
    }
    return (hash ^ hash >>> 16) & (LISTS - 1);
  }
}
