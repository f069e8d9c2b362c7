package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Deletions of ranges have the effect of a plain list of them, whatever their order, grouping and
 * strength, and the work for one does not grow with those that it overlaps.
 */
class RangeTombstoneTreeTest {

  private static final int SEEDS = 4_000;

  @Test
  void theDeletionInForceIsTheStrongestOfThePlainList() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      List<RangeTombstone> all = new ArrayList<>();
      RangeTombstoneTree tree = RangeTombstoneTree.EMPTY;
      for (int step = 1 + random.nextInt(12); step > 0; step--) {
        List<RangeTombstone> added = new ArrayList<>();
        for (int i = random.nextInt(random.nextBoolean() ? 2 : 6); i >= 0; i--) {
          PathRange range = rows.range();
          added.add(new RangeTombstone(range.start(), range.end(), rows.deletion()));
        }
        all.addAll(added);
        tree = tree.addAll(added, order);
        assertEquals(
            RangeFragmenter.canonical(all, order), fragments(tree, false, order), "seed " + seed);
      }
      List<RangeTombstone> kept = fragments(tree, false, order);
      assertEquals(kept, fragments(tree, true, order), "seed " + seed);
      for (int i = 1; i < kept.size(); i++) {
        RangeTombstone left = kept.get(i - 1);
        int gap = order.compare(left.end(), kept.get(i).start());
        boolean joinable = gap == 0 && left.deletion().equals(kept.get(i).deletion());
        assertTrue(gap <= 0 && !joinable, "seed " + seed + " " + kept);
      }
      for (int i = 0; i < 10; i++) {
        Cell probe = rows.cell();
        String what = "seed " + seed + " at " + probe;
        DeletionTime expected = PlainMerge.covering(all, probe, order);
        assertEquals(expected, PlainMerge.covering(kept, probe, order), what);
        for (Bound at : List.of(Bound.before(probe), Bound.after(probe))) {
          boolean reversed = at.weight() > 0;
          assertEquals(expected, tree.boundaries(at, reversed, order).open(), what);
        }
      }
    }
  }

  @Test
  void aWalkFromAnyBoundShowsWhatIsBehindIt() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      RangeTombstoneTree tree = RangeTombstoneTree.EMPTY;
      for (int i = random.nextInt(20); i >= 0; i--) {
        PathRange range = rows.range();
        tree =
            tree.addAll(
                List.of(new RangeTombstone(range.start(), range.end(), rows.deletion())), order);
      }
      boolean reversed = random.nextBoolean();
      Bound from = rows.bound();
      RangeBoundaries all = tree.boundaries(reversed ? Bound.END : Bound.START, reversed, order);
      RangeBoundaries part = tree.boundaries(from, reversed, order);
      List<RangeTombstoneMarker> expected = new ArrayList<>();
      DeletionTime open = all.open();
      for (RangeTombstoneMarker marker = all.next(); marker != null; marker = all.next()) {
        int result = order.compare(marker.bound(), from);
        if (reversed ? result < 0 : result > 0) {
          expected.add(marker);
        } else {
          open = marker.opened(reversed);
        }
      }
      assertEquals(open, part.open(), "seed " + seed);
      List<RangeTombstoneMarker> found = new ArrayList<>();
      for (RangeTombstoneMarker marker = part.next(); marker != null; marker = part.next()) {
        found.add(marker);
      }
      assertEquals(expected, found, "seed " + seed);
    }
  }

  @Test
  void largeTreesEqualThePlainSweepInAnyGroupingAndEarlierOnesStay() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      PathOrder order = RandomRows.standardOrder();
      int names = 10 + random.nextInt(3_000);
      List<RangeTombstone> all = new ArrayList<>();
      RangeTombstoneTree tree = RangeTombstoneTree.EMPTY;
      for (int step = 0; step < 30; step++) {
        List<RangeTombstone> before = fragments(tree, false, order);
        RangeTombstoneTree held = tree;
        List<RangeTombstone> added = new ArrayList<>();
        for (int i = random.nextInt(random.nextBoolean() ? 2 : 300); i >= 0; i--) {
          int from = random.nextInt(names);
          int to = from + random.nextInt(random.nextInt(5) == 0 ? names : 3);
          added.add(range(from, to, random.nextInt(50)));
        }
        all.addAll(added);
        tree = tree.addAll(added, order);
        String what = "seed " + seed + " step " + step;
        assertEquals(RangeFragmenter.canonical(all, order), fragments(tree, false, order), what);
        assertEquals(RangeFragmenter.canonical(all, order), fragments(tree, true, order), what);
        assertEquals(before, fragments(held, false, order), what);
      }
    }
  }

  @Test
  void oneDeletionCostsFewComparisonsHoweverManyOthersItOverlaps() {
    for (int count : new int[] {1_000, 40_000, 400_000}) {
      Counting names = new Counting();
      PathOrder order = new PathOrder(names, null);
      RangeTombstoneTree tree = RangeTombstoneTree.EMPTY.addAll(every(2, count), order);
      for (int timestamp : new int[] {1, 500_000, 2_000_000}) {
        RangeTombstoneTree all = tree;
        for (RangeTombstone added :
            List.of(
                range(0, 2 * count, timestamp),
                range(count / 2, count, timestamp + 1),
                range(-1, 2 * count + 1, timestamp),
                range(count, count, timestamp))) {
          names.comparisons = 0;
          all = all.addAll(List.of(added), order);
          assertTrue(names.comparisons <= 200, count + ": " + names.comparisons);
        }
      }
    }
  }

  @Test
  void aReaderSkipsAtOnceWhatAStrongerDeletionHides() {
    Counting names = new Counting();
    PathOrder order = new PathOrder(names, null);
    int count = 100_000;
    RangeTombstoneTree tree =
        RangeTombstoneTree.EMPTY
            .addAll(every(2, count), order)
            .addAll(List.of(range(count, count, 9_000_000)), order)
            .addAll(List.of(range(0, 2 * count, 5_000_000)), order);
    assertEquals(
        List.of(5_000_000L, 9_000_000L, 5_000_000L),
        fragments(tree, false, order).stream().map(each -> each.deletion().timestamp()).toList());
    for (boolean reversed : new boolean[] {false, true}) {
      names.comparisons = 0;
      RangeBoundaries walk = tree.boundaries(reversed ? Bound.END : Bound.START, reversed, order);
      int found = 0;
      while (walk.next() != null) {
        found++;
      }
      assertEquals(4, found);
      assertTrue(names.comparisons <= 50, "comparisons: " + names.comparisons);
    }
  }

  @Test
  void whatStrongerDeletionsReplaceLeavesTheHeap() {
    PathOrder order = RandomRows.standardOrder();
    RangeTombstoneTree tree = RangeTombstoneTree.EMPTY.addAll(every(2, 10_000), order);
    long full = tree.heapBytes();
    tree = tree.addAll(List.of(range(0, 20_000, 9_000_000)), order);
    assertTrue(tree.heapBytes() < full / 1_000, "bytes: " + tree.heapBytes());
    for (long timestamp : new long[] {1, 9_000_000}) {
      assertSame(tree, tree.addAll(List.of(range(5, 500, timestamp)), order));
      assertSame(tree, tree.addAll(List.of(range(0, 20_000, timestamp)), order));
    }
  }

  @Test
  void whatIsWeakerThanAllThatItTouchesChangesNothing() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      RangeTombstoneTree tree = RangeTombstoneTree.EMPTY;
      for (int i = 0; i < 12; i++) {
        PathRange range = rows.range();
        List<RangeTombstone> added =
            List.of(new RangeTombstone(range.start(), range.end(), rows.deletion()));
        List<RangeTombstone> before = fragments(tree, false, order);
        RangeTombstoneTree after = tree.addAll(added, order);
        assertEquals(before.equals(fragments(after, false, order)), after == tree, "seed " + seed);
        assertSame(after, after.addAll(added, order), "seed " + seed);
        tree = after;
      }
    }
  }

  @Test
  void theBoundsOfAnUpdateAreSortedOnceHoweverManyOverlap() {
    Counting names = new Counting();
    PathOrder order = new PathOrder(names, null);
    List<RangeTombstone> ranges = new ArrayList<>(every(2, 40_000));
    for (int i = 0; i < 2_000; i++) {
      ranges.add(range(i, 100_000 - i, i + 1));
    }
    Collections.shuffle(ranges, new Random(1));
    RowUpdate.Builder update = RowUpdate.builder(order);
    for (RangeTombstone range : ranges) {
      update.deleteRange(new PathRange(range.start(), range.end()), range.deletion());
    }
    int found = update.build().ranges().size();
    assertTrue(found > 40_000 && found < 2 * ranges.size(), "fragments: " + found);
    assertTrue(names.comparisons < 40L * ranges.size(), "comparisons: " + names.comparisons);
  }

  @Test
  void anOverlayDecidesAtEachPlace() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      List<RangeTombstone> ranges = canonical(rows, random.nextInt(6), order);
      List<RangeTombstone> others = canonical(rows, random.nextInt(6), order);
      List<RangeTombstone> lacking =
          RangeFragmenter.overlay(
              ranges,
              others,
              order,
              (first, second) -> first.equals(second) ? DeletionTime.NONE : first);
      assertEquals(lacking, RangeFragmenter.canonical(lacking, order), "seed " + seed);
      for (int i = 0; i < 10; i++) {
        Cell probe = rows.cell();
        DeletionTime first = PlainMerge.covering(ranges, probe, order);
        DeletionTime second = PlainMerge.covering(others, probe, order);
        assertEquals(
            first.equals(second) ? DeletionTime.NONE : first,
            PlainMerge.covering(lacking, probe, order),
            "seed " + seed + " at " + probe);
      }
    }
  }

  private static List<RangeTombstone> canonical(RandomRows rows, int count, PathOrder order) {
    RowUpdate.Builder update = RowUpdate.builder(order);
    for (int i = 0; i < count; i++) {
      update.deleteRange(rows.range(), rows.deletion());
    }
    return update.build().ranges();
  }

  private static List<RangeTombstone> every(int step, int count) {
    List<RangeTombstone> ranges = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ranges.add(range(step * i, step * i, 1_000_000 + i));
    }
    return ranges;
  }

  private static RangeTombstone range(int first, int last, long timestamp) {
    return new RangeTombstone(
        Bound.before(name(first)), Bound.after(name(last)), new DeletionTime(timestamp, 900));
  }

  private static byte[] name(int number) {
    return String.format("%08d", number + 10).getBytes(StandardCharsets.US_ASCII);
  }

  private static List<RangeTombstone> fragments(
      RangeTombstoneTree tree, boolean reversed, PathOrder order) {
    List<RangeTombstone> fragments = new ArrayList<>();
    Bound since = reversed ? Bound.END : Bound.START;
    RangeBoundaries walk = tree.boundaries(since, reversed, order);
    DeletionTime open = walk.open();
    for (RangeTombstoneMarker marker = walk.next(); marker != null; marker = walk.next()) {
      assertEquals(open, marker.closed(reversed));
      if (!open.isNone()) {
        fragments.add(
            reversed
                ? new RangeTombstone(marker.bound(), since, open)
                : new RangeTombstone(since, marker.bound(), open));
      }
      since = marker.bound();
      open = marker.opened(reversed);
    }
    // A deletion up to the end of the row has no marker there.
    if (!open.isNone()) {
      assertTrue(!reversed);
      fragments.add(new RangeTombstone(since, Bound.END, open));
    }
    if (reversed) {
      Collections.reverse(fragments);
    }
    return fragments;
  }

  /** Counts. */
  private static final class Counting implements ColumnComparator {
    private long comparisons;

    @Override
    public String typeName() {
      return "Counting";
    }

    @Override
    public int compare(byte[] left, byte[] right) {
      comparisons++;
      return ColumnComparators.BYTES.compare(left, right);
    }

    @Override
    public void validate(byte[] name) {}

    @Override
    public String display(byte[] name) {
      return ColumnComparators.BYTES.display(name);
    }

    @Override
    public byte[] parse(String text) throws InvalidNameException {
      return ColumnComparators.BYTES.parse(text);
    }
  }
}
