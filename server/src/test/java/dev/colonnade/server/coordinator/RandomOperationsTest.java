package dev.colonnade.server.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.engine.EngineSettings;
import dev.colonnade.server.model.Bound;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.model.SlicePosition;
import dev.colonnade.server.ring.InvalidKeyException;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.FamilyField;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: memory, files, caches and restarts never change an answer. Method: random operations go to
 * a store that flushes, merges and restarts at random, and to plain sorted maps; every answer must
 * be the same, page by page added up.
 */
class RandomOperationsTest {

  private static final int SEEDS = 150;
  private static final int OPERATIONS = 60;
  private static final String KEYSPACE = "Any";

  @Test
  void answersEqualThoseOfPlainSortedMaps() throws Exception {
    for (int seed = 0; seed < SEEDS; seed++) {
      try {
        new Run(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  /** One history. */
  private static final class Run {
    private final Random random;
    private final SimFileSystem files = new SimFileSystem();
    private final SimClock clock = new SimClock();
    private final EngineSettings settings;
    private final NaiveRowStore model = new NaiveRowStore(clock);
    private SimulatedStore store;

    Run(int seed) throws Exception {
      random = new Random(seed);
      settings = SimulatedStore.TINY.withSync(random.nextBoolean(), Duration.ofSeconds(1));
      store = SimulatedStore.open(files, settings, clock);
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)));
      String rowsCached = random.nextBoolean() ? "100" : "0";
      store.await(
          store
              .schema()
              .createFamily(
                  FamilyDefinition.standard(KEYSPACE, "Plain", "BytesType")
                      .with(FamilyField.ROWS_CACHED, rowsCached)));
      store.await(
          store
              .schema()
              .createFamily(
                  FamilyDefinition.superFamily(KEYSPACE, "Nested", "BytesType", "LongType")
                      .with(FamilyField.ROWS_CACHED, rowsCached)));
    }

    void run() throws Exception {
      for (int i = 0; i < OPERATIONS; i++) {
        ColumnFamily family = store.family(KEYSPACE, random.nextBoolean() ? "Plain" : "Nested");
        switch (random.nextInt(20)) {
          case 0 -> store.await(store.engine().flush(family.id()));
          case 1 -> {
            if (random.nextInt(3) == 0) {
              store.await(store.engine().compact(family.id(), progress -> {}));
            }
          }
          case 2 -> {
            if (random.nextInt(3) == 0) {
              store.close();
              store = SimulatedStore.open(files, settings, clock);
            }
          }
          case 3 -> clock.advance(Duration.ofSeconds(random.nextInt(3)));
          case 4 -> {
            if (random.nextInt(5) == 0) {
              store.await(store.schema().truncate(family, Long.MAX_VALUE));
              model.truncate(family.id());
            }
          }
          case 5, 6 -> compareCounts(family);
          case 7, 8 -> compareRanges(family);
          case 9, 10, 11, 12 -> compareSlices(family);
          default -> write(family);
        }
      }
      assertEquals(List.of(), store.scheduler().failures());
      store.close();
    }

    private RowKey key() {
      try {
        return store.partitioner().rowKey(new byte[] {(byte) ('a' + random.nextInt(4))});
      } catch (InvalidKeyException e) {
        throw new AssertionError(e);
      }
    }

    private byte[] top() {
      return new byte[] {(byte) ('a' + random.nextInt(7))};
    }

    private byte @Nullable [] sub(ColumnFamily family) {
      return family.isSuper() ? new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) random.nextInt(6)} : null;
    }

    private Bound bound(ColumnFamily family) {
      if (random.nextInt(6) == 0) {
        return random.nextBoolean() ? Bound.START : Bound.END;
      }
      byte[] sub = random.nextBoolean() ? sub(family) : null;
      return random.nextBoolean() ? Bound.before(top(), sub) : Bound.after(top(), sub);
    }

    private void write(ColumnFamily family) {
      RowUpdate.Builder update = RowUpdate.builder(family.order(), clock.wallSeconds());
      int parts = 1 + random.nextInt(4);
      for (int i = 0; i < parts; i++) {
        long timestamp = random.nextInt(8);
        DeletionTime deletion = new DeletionTime(timestamp, clock.wallSeconds());
        byte[] top = top();
        byte[] value = new byte[random.nextInt(10) == 0 ? 700 : random.nextInt(3)];
        Arrays.fill(value, (byte) random.nextInt(3));
        switch (random.nextInt(12)) {
          case 0 -> update.deleteRow(deletion);
          case 1 -> {
            Bound a = bound(family);
            Bound b = bound(family);
            boolean ordered = family.order().compare(a, b) <= 0;
            update.deleteRange(ordered ? new PathRange(a, b) : new PathRange(b, a), deletion);
          }
          case 2, 3 -> update.add(Cell.deleted(top, sub(family), deletion));
          case 4 ->
              // Timestamps that nothing else has: how a tie between a value that expires and one
              // that does not comes
              // out depends on when it is judged.
              update.add(
                  Cell.expiring(
                      top,
                      sub(family),
                      value,
                      100 + timestamp,
                      2,
                      clock.wallSeconds() + 1 + random.nextInt(2)));
          default -> update.add(Cell.live(top, sub(family), value, timestamp));
        }
      }
      RowUpdate built = update.build();
      if (built.isEmpty()) {
        return;
      }
      List<RowMutation> mutations =
          List.of(new RowMutation(key(), List.of(new RowMutation.FamilyUpdate(family, built))));
      store.await(store.coordinator().write(mutations, true, Consistency.ONE, Long.MAX_VALUE));
      model.write(mutations, true, Consistency.ONE, Long.MAX_VALUE).join();
    }

    private Slice slice(ColumnFamily family) {
      boolean bySuperColumn = family.isSuper() && random.nextInt(3) > 0;
      List<PathRange> ranges = new ArrayList<>();
      if (random.nextInt(3) == 0) {
        TreeSet<Integer> names = new TreeSet<>();
        for (int i = 0; i < 3; i++) {
          names.add(random.nextInt(7));
        }
        for (int name : names) {
          ranges.add(PathRange.of(new byte[] {(byte) ('a' + name)}));
        }
        bySuperColumn = family.isSuper();
      } else if (bySuperColumn || !family.isSuper()) {
        byte[] a = top();
        byte[] b = top();
        boolean ordered = Arrays.compareUnsigned(a, b) <= 0;
        ranges.add(
            random.nextInt(3) == 0
                ? PathRange.ALL
                : new PathRange(Bound.before(ordered ? a : b), Bound.after(ordered ? b : a)));
      } else {
        ranges.add(PathRange.of(top()));
      }
      long limit = random.nextInt(3) == 0 ? Long.MAX_VALUE : random.nextInt(5);
      return new Slice(ranges, random.nextBoolean(), bySuperColumn, limit);
    }

    private void compareSlices(ColumnFamily family) {
      RowKey key = key();
      Slice slice = slice(family);
      int pageBytes = random.nextBoolean() ? 1 << 20 : 1 + random.nextInt(200);
      assertEquals(
          readAll(model, family, key, slice, 1 << 20),
          readAll(store.coordinator(), family, key, slice, pageBytes),
          () -> family.name() + " " + slice + " pages of " + pageBytes);
    }

    private List<Cell> readAll(
        RowStore from, ColumnFamily family, RowKey key, Slice slice, int pageBytes) {
      List<Cell> all = new ArrayList<>();
      Optional<SlicePosition> next = Optional.empty();
      do {
        SlicePage page =
            store.await(
                from.read(
                    new SliceRead(
                        family, key, slice, next, pageBytes, Consistency.ONE, Long.MAX_VALUE)));
        all.addAll(page.cells());
        next = page.next();
      } while (next.isPresent());
      return all;
    }

    private void compareCounts(ColumnFamily family) {
      CountRead read = new CountRead(family, key(), slice(family), Consistency.ONE, Long.MAX_VALUE);
      assertEquals(
          store.await(model.count(read)).count(),
          store.await(store.coordinator().count(read)).count(),
          () -> "count " + read.slice());
    }

    private void compareRanges(ColumnFamily family) {
      Slice slice = slice(family);
      List<RowRange> ranges = List.of(new RowRange(RowKey.firstOf(new byte[0]), Optional.empty()));
      long rowLimit = random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(3);
      boolean empty = random.nextBoolean();
      boolean keysOnly = random.nextInt(4) == 0;
      int pageBytes = random.nextBoolean() ? 1 << 20 : 1 + random.nextInt(200);
      RangeRead read =
          new RangeRead(
              family,
              ranges,
              slice,
              rowLimit,
              empty,
              keysOnly,
              Optional.empty(),
              1 << 20,
              Consistency.ONE,
              Long.MAX_VALUE);
      assertEquals(
          scanAll(model, read),
          scanAll(store.coordinator(), withPage(read, Optional.empty(), pageBytes)),
          () -> family.name() + " rows " + read + " pages of " + pageBytes);
    }

    private static RangeRead withPage(RangeRead read, Optional<RangePosition> from, int bytes) {
      return new RangeRead(
          read.family(),
          read.ranges(),
          read.slice(),
          read.rowLimit(),
          read.includeEmptyRows(),
          read.keysOnly(),
          from,
          bytes,
          read.consistency(),
          read.deadlineNanos());
    }

    private List<String> scanAll(RowStore from, RangeRead read) {
      List<String> all = new ArrayList<>();
      Optional<RangePosition> next = Optional.empty();
      RowKey open = null;
      do {
        RangePage page = store.await(from.readRange(withPage(read, next, read.pageBytes())));
        for (RangePage.RowCells row : page.rows()) {
          if (!row.key().equals(open)) {
            all.add("row " + row.key());
          }
          row.cells().forEach(cell -> all.add(cell.toString()));
          open = null;
        }
        if (page.rowContinues()) {
          open = page.rows().get(page.rows().size() - 1).key();
        }
        next = page.next();
      } while (next.isPresent());
      return all;
    }
  }
}
