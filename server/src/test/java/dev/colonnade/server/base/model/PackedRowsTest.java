package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.platform.SeededRandom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows whose cells are packed are read and changed like rows of objects, and take less memory. */
final class PackedRowsTest {

  private static final PathOrder STANDARD = new PathOrder(ColumnComparators.INTEGER, null);
  private static final PathOrder SUPER =
      new PathOrder(ColumnComparators.INTEGER, ColumnComparators.BYTES);

  /** A snapshot of a row, and the same row of objects. */
  private record Pair(RowState packed, RowState plain) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aPackedRowIsReadLikeARowOfObjects(long seed) throws IOException {
    SeededRandom random = new SeededRandom(seed);
    PathOrder order = seed % 2 == 0 ? SUPER : STANDARD;
    CellNamePool names = new CellNamePool();
    List<Pair> snapshots = new ArrayList<>();
    for (int row = 0; row < 60; row++) {
      Pair pair = new Pair(RowState.EMPTY, RowState.EMPTY);
      int updates = 1 + random.nextInt(5);
      for (int i = 0; i < updates; i++) {
        RowUpdate update = update(random, order);
        pair =
            new Pair(pair.packed().apply(update, order, names), pair.plain().apply(update, order));
        snapshots.add(pair);
      }
    }
    for (Pair pair : snapshots) {
      assertEquals(pair.plain().cellCount(), pair.packed().cellCount());
      assertEquals(pair.plain().rowDeletion(), pair.packed().rowDeletion());
      for (boolean reversed : new boolean[] {false, true}) {
        for (int i = 0; i < 4; i++) {
          PathRange range = i == 0 ? PathRange.ALL : range(random);
          List<Atom> expected = drain(pair.plain().cursor(range, reversed, order));
          assertEquals(
              expected, drain(pair.packed().cursor(range, reversed, order)), "seed " + seed);
        }
      }
      for (Atom atom : drain(pair.plain().cursor(PathRange.ALL, false, order))) {
        if (atom instanceof Cell cell) {
          assertEquals(cell, pair.packed().find(cell, order), "seed " + seed);
        }
      }
    }
  }

  @Test
  void rowsWithTheSameNamesShareThem() {
    CellNamePool names = new CellNamePool();
    RowState.EMPTY.apply(fields(1, 100), STANDARD, names);
    RowState second = RowState.EMPTY.apply(fields(2, 100), STANDARD, names);
    assertTrue(second.heapBytes() < 1_150, "10 x 100 bytes take " + second.heapBytes());
    assertTrue(second.heapBytes() > 1_000, "10 x 100 bytes take " + second.heapBytes());
  }

  @Test
  void aPackedRowThatIsOverwrittenDoesNotGrow() {
    CellNamePool names = new CellNamePool();
    RowState row = RowState.EMPTY.apply(fields(1, 100), STANDARD, names);
    long once = row.heapBytes();
    for (int i = 2; i < 50; i++) {
      RowUpdate one =
          RowUpdate.builder(STANDARD).add(Cell.live(name(i % 10), null, new byte[100], i)).build();
      row = row.apply(one, STANDARD, names);
      // Cells of several timestamps take eight bytes more each.
      assertTrue(row.heapBytes() <= once + 10 * 8, "update " + i + ": " + row.heapBytes());
    }
  }

  @Test
  void largeValuesAreNotCopied() {
    byte[] value = new byte[PackedLeaf.VALUE_BYTES_MAX + 1];
    RowUpdate update = RowUpdate.builder(STANDARD).add(Cell.live(name(1), null, value, 1)).build();
    Cell found = RowState.EMPTY.apply(update, STANDARD, new CellNamePool()).find(name1(), STANDARD);
    assertTrue(found != null && found.valueArray() == value);
  }

  private static Position name1() {
    return Cell.live(name(1), null, new byte[0], 0);
  }

  private static RowUpdate fields(int seed, int bytes) {
    RowUpdate.Builder update = RowUpdate.builder(STANDARD);
    for (int i = 0; i < 10; i++) {
      byte[] value = new byte[bytes];
      new SeededRandom(seed).nextBytes(value);
      update.add(Cell.live(name(i), null, value, 1));
    }
    return update.build();
  }

  private static byte[] name(int number) {
    return new byte[] {(byte) number};
  }

  /** Numbers, some of them spelled with a needless zero. */
  private static byte[] anyName(SeededRandom random) {
    byte number = (byte) random.nextInt(20);
    return random.nextInt(4) == 0 ? new byte[] {0, number} : new byte[] {number};
  }

  private static RowUpdate update(SeededRandom random, PathOrder order) {
    RowUpdate.Builder update = RowUpdate.builder(order);
    int kind = random.nextInt(10);
    int cells = kind == 0 ? 40 : random.nextInt(12);
    boolean allLive = random.nextInt(3) > 0;
    long timestamp = random.nextInt(100);
    for (int i = 0; i < cells; i++) {
      byte[] sub = order.isSuper() ? anyName(random) : null;
      byte[] value = new byte[random.nextInt(20) == 0 ? 5_000 : random.nextInt(40)];
      random.nextBytes(value);
      byte[] top = kind == 0 ? new byte[] {(byte) i} : anyName(random);
      long at = random.nextInt(2) == 0 ? timestamp : random.nextInt(100);
      update.add(
          switch (allLive ? 0 : random.nextInt(3)) {
            case 1 -> Cell.deleted(top, sub, new DeletionTime(at, 5));
            case 2 -> Cell.expiring(top, sub, value, at, 7, 1_000);
            default -> Cell.live(top, sub, value, at);
          });
    }
    if (random.nextInt(8) == 0) {
      update.deleteRange(range(random), new DeletionTime(random.nextInt(100), 5));
    }
    if (random.nextInt(12) == 0) {
      update.deleteRow(new DeletionTime(random.nextInt(50), 5));
    }
    return update.build();
  }

  private static PathRange range(SeededRandom random) {
    int from = random.nextInt(20);
    return new PathRange(
        Bound.before(name(from), null), Bound.after(name(from + random.nextInt(8)), null));
  }

  private static List<Atom> drain(AtomCursor cursor) throws IOException {
    List<Atom> atoms = new ArrayList<>();
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      atoms.add(atom);
    }
    return atoms;
  }
}
