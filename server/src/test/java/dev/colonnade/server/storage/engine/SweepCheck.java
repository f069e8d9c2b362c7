package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Checks a disk after a crash: whether the store opens, what it holds, and whether it works. */
final class SweepCheck {

  private static final String NEW_FAMILY = "After";

  private SweepCheck() {}

  /**
   * Opens the store and compares what it holds.
   *
   * @return what it holds
   */
  static SweepState opens(
      SimFileSystem disk, EngineSettings settings, Set<SweepState> possible, String where) {
    SimulatedStore store = open(disk, settings, where);
    SweepState found = contents(store);
    requireOneOf(possible, found, where);
    assertEquals(List.of(), store.scheduler().failures(), where);
    store.scheduler().shutDown();
    disk.kill();
    return found;
  }

  /** As {@link #opens}, and writes, flushes, merges, and opens it once more. */
  static void opensAndWorks(
      SimFileSystem disk,
      EngineSettings settings,
      Set<SweepState> possible,
      RandomSource random,
      String where)
      throws IOException {
    SimulatedStore store = open(disk, settings, where);
    SweepState expected = contents(store);
    requireOneOf(possible, expected, where);
    takesWrites(store, where);
    if (random.nextInt(2) == 0) {
      changeSchema(store);
    }
    expected = contents(store);
    SimFileSystem again = disk;
    if (random.nextInt(2) == 0) {
      store.close();
      assertEquals(List.of(), disk.openFiles(), where + ": files left open");
    } else {
      store.scheduler().runUntilIdle();
      again = disk.crashClone(random);
    }
    assertEquals(List.of(), store.scheduler().failures(), where);
    opens(again, settings, Set.of(expected), where + ", opened once more");
  }

  private static void changeSchema(SimulatedStore store) {
    if (store.schema().current().keyspace(SweepScript.KEYSPACE).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(SweepScript.KEYSPACE)));
    }
    store.await(
        store
            .schema()
            .createFamily(FamilyDefinition.standard(SweepScript.KEYSPACE, NEW_FAMILY, "UTF8Type")));
  }

  /** Writes to every family, flushes and merges it. */
  static void takesWrites(SimulatedStore store, String where) {
    SweepState expected = contents(store);
    for (String name : List.copyOf(expected.families().keySet())) {
      ColumnFamily family = store.family(SweepScript.KEYSPACE, name);
      expected = write(store, family, expected);
      store.await(store.operations().flush(List.of(family)));
      store.await(store.operations().compact(List.of(family), progress -> {}));
    }
    requireOneOf(Set.of(expected), contents(store), where + ", after new writes");
  }

  /** A deletion whose time has come goes with the next merge: nothing pins it for ever. */
  static void purges(SimulatedStore store, String where) {
    for (String name : List.copyOf(contents(store).families().keySet())) {
      ColumnFamily family = store.family(SweepScript.KEYSPACE, name);
      byte[] column = "gone".getBytes(StandardCharsets.UTF_8);
      long longAgo = store.clock().wallSeconds() - family.options().gcGraceSeconds() - 10;
      RowUpdate update =
          RowUpdate.builder(family.order())
              .add(Cell.deleted(column, null, new DeletionTime(1, longAgo)))
              .build();
      Mutation deletion =
          new Mutation(
              store.key("gone"),
              List.of(new Mutation.FamilyMutation(family.id(), update, family.truncation())),
              store.clock().wallSeconds());
      store.await(store.engine().write(deletion, true));
      store.await(store.operations().compact(List.of(family), progress -> {}));
      boolean left = store.await(store.engine().touch(family.id(), store.key("gone"), false));
      assertFalse(left, where + ": a deletion is never purged from " + name);
    }
  }

  /** The states with what {@link #takesWrites} may have added to them. */
  static Set<SweepState> afterWrite(Set<SweepState> states) {
    Set<SweepState> all = new LinkedHashSet<>(states);
    for (SweepState state : states) {
      SweepState after = state;
      for (String family : state.families().keySet()) {
        after = after.withRows(family, rows -> rows.put("new/new", "new"));
      }
      all.add(after);
    }
    return all;
  }

  private static SweepState write(SimulatedStore store, ColumnFamily family, SweepState before) {
    byte[] name = "new".getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(name, null, name, Long.MAX_VALUE / 2))
            .build();
    store.await(
        store
            .coordinator()
            .write(
                List.of(
                    new RowMutation(
                        store.key("new"), List.of(new RowMutation.FamilyUpdate(family, update)))),
                true,
                Consistency.ONE,
                Long.MAX_VALUE));
    return before.withRows(family.name(), rows -> rows.put("new/new", "new"));
  }

  private static SimulatedStore open(SimFileSystem disk, EngineSettings settings, String where) {
    SimClock clock = new SimClock();
    // Later than all earlier operations, like the clock of a restarted machine.
    clock.advance(Duration.ofHours(1));
    try {
      return SimulatedStore.open(disk, settings, clock);
    } catch (IOException | SchemaException | RuntimeException e) {
      return fail("does not open: " + where, e);
    }
  }

  static void requireOneOf(Set<SweepState> possible, SweepState found, String where) {
    if (!possible.contains(found)) {
      StringBuilder text = new StringBuilder(where).append(": ");
      int told = 0;
      for (SweepState state : possible) {
        if (told++ < 3) {
          text.append("\n  ").append(state.differenceTo(found));
        }
      }
      fail(text.toString());
    }
  }

  /** Everything in the script's keyspace. */
  static SweepState contents(SimulatedStore store) {
    Map<String, Map<String, String>> found = new TreeMap<>();
    store
        .schema()
        .current()
        .keyspace(SweepScript.KEYSPACE)
        .ifPresent(
            keyspace -> {
              for (ColumnFamily family : keyspace.families().values()) {
                found.put(family.name(), rows(store, family));
              }
            });
    return new SweepState(found);
  }

  private static Map<String, String> rows(SimulatedStore store, ColumnFamily family) {
    Map<String, String> rows = new TreeMap<>();
    RangePage page =
        store.await(
            store
                .coordinator()
                .readRange(
                    new RangeRead(
                        family,
                        List.of(new RowRange(RowKey.firstOf(new byte[0]), Optional.empty())),
                        new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                        Long.MAX_VALUE,
                        false,
                        false,
                        Optional.empty(),
                        1 << 24,
                        Consistency.ONE,
                        Long.MAX_VALUE,
                        PageSink.LISTS)));
    assertTrue(page.next().isEmpty());
    for (RowCells row : page.rows()) {
      for (Cell cell : row.cells()) {
        rows.put(text(row.key().key()) + "/" + text(cell.top()), text(cell.value()));
      }
    }
    return rows;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
