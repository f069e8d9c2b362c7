package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Merging rows gives one result whatever the order, the grouping and the direction, and equals a
 * plain model.
 */
class RowMergeTest {

  private static final int SEEDS = 3_000;

  @Test
  void mergedSourcesEqualThePlainModelInAnyOrderAndGrouping() throws IOException {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      List<RowUpdate> updates = rows.updates(1 + random.nextInt(8));
      PathRange range = random.nextInt(3) == 0 ? PathRange.ALL : rows.range();
      boolean reversed = random.nextBoolean();
      List<Cell> expected = PlainMerge.cells(updates, range, reversed, order);

      Collections.shuffle(updates, random);
      List<AtomCursor> sources = new ArrayList<>();
      for (RowState state : grouped(updates, 1 + random.nextInt(4), random, order)) {
        sources.add(state.cursor(range, reversed, order));
      }
      AtomCursor merged = MergingCursor.of(sources, order, reversed);
      assertEquals(expected, cellsOf(drain(merged)), "seed " + seed);
    }
  }

  @Test
  void equalContentGivesEqualAtomsHoweverItWasGrouped() throws IOException {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      List<RowUpdate> updates = new RandomRows(random, order).updates(1 + random.nextInt(8));
      List<Atom> one = atomsOf(updates, 1, random, order);
      Collections.shuffle(updates, random);
      List<Atom> other = atomsOf(updates, 4, random, order);
      assertEquals(one, other, "seed " + seed);
    }
  }

  @Test
  void readingBackwardsGivesTheSameAtomsBackwards() throws IOException {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      PathOrder order = random.nextBoolean() ? RandomRows.standardOrder() : RandomRows.superOrder();
      RandomRows rows = new RandomRows(random, order);
      List<RowUpdate> updates = rows.updates(1 + random.nextInt(8));
      PathRange range = rows.range();
      List<AtomCursor> forward = new ArrayList<>();
      List<AtomCursor> backward = new ArrayList<>();
      for (RowState state : grouped(updates, 3, random, order)) {
        forward.add(state.cursor(range, false, order));
        backward.add(state.cursor(range, true, order));
      }
      List<Atom> ahead = drain(MergingCursor.of(forward, order, false));
      List<Atom> back = drain(MergingCursor.of(backward, order, true));
      Collections.reverse(back);
      assertEquals(ahead, back, "seed " + seed);
    }
  }

  private static List<Atom> atomsOf(
      List<RowUpdate> updates, int groups, Random random, PathOrder order) throws IOException {
    List<AtomCursor> sources = new ArrayList<>();
    for (RowState state : grouped(updates, groups, random, order)) {
      sources.add(state.cursor(PathRange.ALL, false, order));
    }
    return drain(MergingCursor.of(sources, order, false));
  }

  private static List<RowState> grouped(
      List<RowUpdate> updates, int groups, Random random, PathOrder order) {
    List<RowState> states = new ArrayList<>(Collections.nCopies(groups, RowState.EMPTY));
    for (RowUpdate update : updates) {
      int group = random.nextInt(groups);
      states.set(group, states.get(group).apply(update, order));
    }
    return states;
  }

  static List<Atom> drain(AtomCursor cursor) throws IOException {
    List<Atom> atoms = new ArrayList<>();
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      atoms.add(atom);
    }
    return atoms;
  }

  private static List<Cell> cellsOf(List<Atom> atoms) {
    return atoms.stream().filter(Cell.class::isInstance).map(Cell.class::cast).toList();
  }
}
