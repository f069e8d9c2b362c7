package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The persistent tree agrees with a plain sorted map, and old versions stay as they were. */
class SortedTreeTest {

  private final PathOrder order = RandomRows.standardOrder();

  @Test
  void agreesWithASortedMapUnderRandomPuts() {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      int names = 1 + random.nextInt(3_000);
      TreeMap<Position, Cell> expected = new TreeMap<>(order);
      SortedTree<Cell> tree = SortedTree.empty();
      for (int i = 0; i < 4_000; i++) {
        Cell cell = cell(random.nextInt(names), i);
        tree = tree.put(cell, order, (older, newer) -> newer);
        expected.remove(cell);
        expected.put(cell, cell);
      }
      assertEquals(expected.size(), tree.size(), "seed " + seed);
      for (int i = 0; i < 200; i++) {
        Cell probe = cell(random.nextInt(names), 0);
        assertEquals(expected.get(probe), tree.find(probe, order), "seed " + seed);
        Bound from = random.nextBoolean() ? Bound.before(probe) : Bound.after(probe);
        assertEquals(
            first(new ArrayList<>(expected.tailMap(from, false).values())),
            first(tree.cursor(from, false, order), 50),
            "seed " + seed);
        assertEquals(
            first(new ArrayList<>(expected.headMap(from, false).descendingMap().values())),
            first(tree.cursor(from, true, order), 50),
            "seed " + seed);
      }
    }
  }

  @Test
  void runsAreAddedAsOneByOne() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int names = 1 + random.nextInt(seed % 3 == 0 ? 60 : 20_000);
      TreeMap<Position, Cell> expected = new TreeMap<>(order);
      SortedTree<Cell> tree = SortedTree.empty();
      for (int round = 0; round < 30; round++) {
        TreeMap<Position, Cell> run = new TreeMap<>(order);
        int from = random.nextInt(names);
        int width = 1 + random.nextInt(names);
        for (int i = random.nextInt(random.nextBoolean() ? 4 : 2_000); i >= 0; i--) {
          Cell cell = cell(from + random.nextInt(width), random.nextInt(100));
          run.remove(cell);
          run.put(cell, cell);
        }
        SortedTree<Cell> before = tree;
        List<Cell> held = first(before.cursor(Bound.START, false, order), Integer.MAX_VALUE);
        tree = tree.putAll(new ArrayList<>(run.values()), order, SortedTreeTest::later);
        run.forEach((name, cell) -> expected.merge(name, cell, SortedTreeTest::later));
        String what = "seed " + seed + " round " + round;
        assertEquals(expected.size(), tree.size(), what);
        assertEquals(
            new ArrayList<>(expected.values()),
            first(tree.cursor(Bound.START, false, order), Integer.MAX_VALUE),
            what);
        assertEquals(
            held, first(before.cursor(Bound.START, false, order), Integer.MAX_VALUE), what);
        Cell probe = cell(random.nextInt(2 * names), 0);
        assertEquals(expected.get(probe), tree.find(probe, order), what);
      }
    }
  }

  @Test
  void aRunThatChangesNothingGivesTheSameTree() {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      cells.add(cell(i, 5));
    }
    SortedTree<Cell> tree = SortedTree.<Cell>empty().putAll(cells, order, SortedTreeTest::later);
    assertSame(tree, tree.putAll(cells.subList(100, 900), order, SortedTreeTest::later));
    assertSame(tree, tree.putAll(List.of(), order, SortedTreeTest::later));
  }

  @Test
  void ascendingAndDescendingLoadsKeepEverything() {
    SortedTree<Cell> up = SortedTree.empty();
    SortedTree<Cell> down = SortedTree.empty();
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      up = up.put(cell(i, 0), order, (older, newer) -> newer);
      down = down.put(cell(count - 1 - i, 0), order, (older, newer) -> newer);
    }
    List<Cell> all = first(up.cursor(Bound.START, false, order), Integer.MAX_VALUE);
    assertEquals(count, all.size());
    assertEquals(all, first(down.cursor(Bound.START, false, order), Integer.MAX_VALUE));
    List<Cell> backwards = first(up.cursor(Bound.END, true, order), Integer.MAX_VALUE);
    assertEquals(all.get(0), backwards.get(count - 1));
  }

  @Test
  void aHeldVersionDoesNotChange() {
    SortedTree<Cell> held = SortedTree.<Cell>empty().put(cell(1, 1), order, (a, b) -> b);
    SortedTree<Cell> later =
        held.put(cell(2, 1), order, (a, b) -> b).put(cell(1, 9), order, (a, b) -> b);
    assertEquals(1, held.size());
    assertEquals(cell(1, 1), held.find(cell(1, 0), order));
    assertEquals(2, later.size());
    assertNull(SortedTree.<Cell>empty().cursor(Bound.START, false, order).next());
  }

  private static Cell later(Cell older, Cell newer) {
    return newer.timestamp() > older.timestamp() ? newer : older;
  }

  private static Cell cell(int number, long timestamp) {
    byte[] name = {(byte) (number >> 16), (byte) (number >> 8), (byte) number};
    return Cell.live(name, null, name, timestamp);
  }

  private static List<Cell> first(List<Cell> cells) {
    return cells.subList(0, Math.min(50, cells.size()));
  }

  private static List<Cell> first(TreeCursor<Cell> cursor, int count) {
    List<Cell> cells = new ArrayList<>();
    for (Cell cell = cursor.next(); cell != null && cells.size() < count; cell = cursor.next()) {
      cells.add(cell);
    }
    return cells;
  }
}
