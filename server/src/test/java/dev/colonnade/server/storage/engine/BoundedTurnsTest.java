package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPage;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.ListedPages;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Reads that find nothing, or skip what they find, are work as well: no turn of them is long, only
 * a short one runs on the caller's thread, and they end when the caller no longer waits.
 */
final class BoundedTurnsTest {

  private static final int NAMES = 3_000;
  private static final int ROWS = 50;

  /** How many lookups a turn may make, plus the first one of each. */
  private static final int LOOKUPS = WorkSteps.DEFAULT.readAtoms() / 8 + 1;

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    store = SimulatedStore.open(disk, SimulatedStore.TINY, clock, Partitioners.ORDER_PRESERVING);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    family = store.family("K", "F");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void write(String row, Function<RowUpdate.Builder, RowUpdate.Builder> change) {
    store.await(
        store
            .coordinator()
            .write(
                List.of(
                    new RowMutation(
                        store.key(row),
                        List.of(
                            new RowMutation.FamilyUpdate(
                                family, change.apply(RowUpdate.builder(family.order())).build())))),
                true,
                Consistency.ONE,
                Long.MAX_VALUE));
  }

  private void writeRows() {
    for (int i = 0; i < ROWS; i++) {
      write(
          String.format("row%03d", i),
          update -> update.add(Cell.live(bytes("there"), null, bytes("v"), 1)));
    }
  }

  /** Names that no row has. */
  private static Slice absentNames(boolean reversed) {
    List<PathRange> names = new ArrayList<>();
    for (int i = 0; i < NAMES; i++) {
      names.add(PathRange.of(bytes(String.format("absent%04d", i))));
    }
    return new Slice(names, reversed, false, Long.MAX_VALUE);
  }

  private <T> T atOnce(CompletableFuture<T> turn) {
    store.scheduler().runUntilIdle();
    assertTrue(turn.isDone());
    return turn.join();
  }

  @Test
  void aScanForAbsentNamesLeavesItsCallerAndGoesOnInShortTurns() {
    writeRows();
    RowKey start = store.key("row000");
    Optional<SlicePosition> inside = Optional.empty();
    int turns = 0;
    while (true) {
      RangeCommand query =
          new RangeCommand(
              start,
              Optional.empty(),
              inside,
              false,
              absentNames(false),
              Long.MAX_VALUE,
              false,
              false,
              1 << 20,
              0);
      CompletableFuture<ReadResponse<RangeRows>> turn =
          store.engine().read(family.id(), query, ListedPages.RANGE);
      assertTrue(turns > 0 || !turn.isDone(), "too much for the caller's thread");
      RangeRows found = atOnce(turn).result();
      turns++;
      assertEquals(List.of(), found.rows());
      if (found.next().isEmpty()) {
        break;
      }
      inside = found.next().get().inside();
      RowKey last = found.next().get().row();
      start =
          inside.isPresent()
              ? last
              : new RowKey(last.token(), Arrays.copyOf(last.key(), last.key().length + 1));
    }
    int least = ROWS * NAMES / LOOKUPS;
    assertTrue(turns >= least, turns + " turns for " + ROWS * NAMES + " lookups");
    assertTrue(turns <= 2 * least, turns + " turns for " + ROWS * NAMES + " lookups");
  }

  @Test
  void aPageOfAbsentNamesIsAnsweredAsAWhole() {
    writeRows();
    for (boolean reversed : new boolean[] {false, true}) {
      CompletableFuture<RangePage> page =
          store
              .coordinator()
              .readRange(
                  new RangeRead(
                      family,
                      List.of(new RowRange(store.key("row000"), Optional.empty())),
                      absentNames(reversed),
                      Long.MAX_VALUE,
                      true,
                      false,
                      Optional.empty(),
                      1 << 20,
                      Consistency.ONE,
                      Long.MAX_VALUE,
                      PageSink.LISTS));
      assertFalse(page.isDone(), "too much for the caller's thread");
      RangePage found = store.await(page);
      int rows = found.rows().size();
      while (found.next().isPresent()) {
        found =
            store.await(
                store
                    .coordinator()
                    .readRange(
                        new RangeRead(
                            family,
                            List.of(new RowRange(store.key("row000"), Optional.empty())),
                            absentNames(reversed),
                            Long.MAX_VALUE,
                            true,
                            false,
                            found.next(),
                            1 << 20,
                            Consistency.ONE,
                            Long.MAX_VALUE,
                            PageSink.LISTS)));
        rows += found.rows().size();
      }
      assertTrue(rows >= ROWS, rows + " rows");
    }
  }

  @Test
  void fragmentsEndAfterAsManyLookupsOnEveryReplica() {
    writeRows();
    Slice absent = absentNames(false);
    RangeCommand query =
        new RangeCommand(
            store.key("row000"),
            Optional.empty(),
            Optional.empty(),
            false,
            absent,
            Long.MAX_VALUE,
            true,
            false,
            1 << 20,
            0);
    ReadResponse<RangeFragment> inMemory =
        atOnce(store.engine().read(family.id(), query, ReadOutput.RANGE_FRAGMENT));
    store.await(store.engine().flush(family.id()));
    ReadResponse<RangeFragment> inAFile =
        store.await(store.engine().read(family.id(), query, ReadOutput.RANGE_FRAGMENT));
    assertEquals(LOOKUPS / NAMES + 1, inMemory.result().rows().size());
    assertEquals(inMemory.result().end(), inAFile.result().end());
    assertEquals(
        inMemory.result().rows().stream().map(row -> row.fragment().end()).toList(),
        inAFile.result().rows().stream().map(row -> row.fragment().end()).toList());

    List<PathRange> many = new ArrayList<>();
    for (int i = 0; i < 3 * (LOOKUPS - 1); i++) {
      many.add(PathRange.of(bytes(String.format("absent%06d", i))));
    }
    Optional<SlicePosition> from = Optional.empty();
    int turns = 0;
    do {
      ReadResponse<RowFragment> part =
          store.await(
              store
                  .engine()
                  .read(
                      family.id(),
                      new SliceCommand(
                          store.key("row000"),
                          new Slice(many, false, false, Long.MAX_VALUE),
                          from,
                          1 << 20,
                          0),
                      ReadOutput.ROW_FRAGMENT));
      from = part.result().end().map(end -> new SlicePosition(end, false, 0));
      turns++;
    } while (from.isPresent());
    assertEquals(3, turns);
  }

  @Test
  void cellsThatADeletionHidesAreTooMuchForTheCallersThreadAsWell() {
    for (int i = 0; i < 30; i++) {
      int first = i * 1_000;
      write(
          "row",
          update -> {
            for (int name = first; name < first + 1_000; name++) {
              update.add(Cell.live(bytes(String.format("%06d", name)), null, bytes(""), 1));
            }
            return update;
          });
      store.await(store.engine().flush(family.id()));
    }
    write("row", update -> update.deleteRow(new DeletionTime(2, 0)));
    SliceCommand query =
        new SliceCommand(
            store.key("row"),
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            Optional.empty(),
            1 << 20,
            true,
            0);
    // All of it is in the block cache now.
    store.await(store.engine().read(family.id(), query, ListedPages.ROW));
    CompletableFuture<ReadResponse<RowPage>> again =
        store.engine().read(family.id(), query, ListedPages.ROW);
    assertFalse(again.isDone(), "too much for the caller's thread");
    assertEquals(0, store.await(again).result().counted());
  }

  @Test
  void deletionsOfRangesAreTooMuchForTheCallersThreadAsWell() {
    for (int first = 0; first < 40_000; first += 4_000) {
      int from = first;
      write(
          "row",
          update -> {
            for (int name = from; name < from + 4_000; name++) {
              update.deleteRange(
                  PathRange.of(bytes(String.format("%06d", name))), new DeletionTime(name + 2, 0));
            }
            return update;
          });
    }
    write("row", update -> update.deleteRange(PathRange.ALL, new DeletionTime(1, 0)));
    CompletableFuture<ReadResponse<RowPage>> many = readWhole("row");
    assertFalse(many.isDone(), "too much for the caller's thread");
    assertEquals(List.of(), store.await(many).result().cells());
  }

  @Test
  void whatTheSystemHasInMemoryIsReadOnTheCallersThreadUnlessItIsMuch() {
    disk.keepPages(true);
    for (int i = 0; i < 2; i++) {
      boolean large = i == 1;
      write(
          large ? "large" : "small",
          update -> {
            for (int name = 0; name < (large ? 400 : 4); name++) {
              update.add(Cell.live(bytes(String.format("%06d", name)), null, new byte[1_000], 1));
            }
            return update;
          });
      store.await(store.engine().flush(family.id()));
    }
    assertTrue(readWhole("small").isDone(), "no block of it was in the block cache");
    assertTrue(
        store.engine().figure(family.id(), FamilyFigure.BLOCKS_READ) > 0, "but in memory it was");
    CompletableFuture<ReadResponse<RowPage>> large = readWhole("large");
    assertFalse(large.isDone(), "too many blocks for the caller's thread");
    assertEquals(400, store.await(large).result().cells().size());
  }

  private CompletableFuture<ReadResponse<RowPage>> readWhole(String row) {
    SliceCommand query =
        new SliceCommand(
            store.key(row),
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            Optional.empty(),
            8 << 20,
            0);
    return store.engine().read(family.id(), query, ListedPages.ROW);
  }

  @Test
  void aReadThatWasCalledOffBeforeItsTurnIsNotMade() {
    writeRows();
    store.await(store.engine().flush(family.id()));
    SliceCommand query =
        new SliceCommand(
            store.key("row007"),
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            Optional.empty(),
            1 << 20,
            true,
            0);
    CompletableFuture<ReadResponse<RowPage>> cancelled =
        store.engine().read(family.id(), query, ListedPages.ROW, ReadMode.OFFLOADED);
    cancelled.cancel(false);
    store.scheduler().runUntilIdle();
    assertEquals(0, store.engine().figure(family.id(), FamilyFigure.BLOCKS_READ));

    store.await(store.engine().read(family.id(), query, ListedPages.ROW, ReadMode.OFFLOADED));
    assertEquals(1, store.engine().figure(family.id(), FamilyFigure.BLOCKS_READ));
  }

  @Test
  void aReadWhoseAnswerIsNotWantedEndsInsideItsTurn() {
    write(
        "row",
        update -> {
          for (int name = 0; name < 5_000; name++) {
            update.add(Cell.live(bytes(String.format("%06d", name)), null, new byte[100], 1));
          }
          return update;
        });
    store.await(store.engine().flush(family.id()));
    disk.plan()
        .add(FileFault.STALL)
        .on(FileOperation.READ)
        .where(path -> path.endsWith("Data.db"))
        .lasting(Duration.ofSeconds(20))
        .once();
    // Counts the other calls.
    disk.plan()
        .add(FileFault.STALL)
        .on(FileOperation.READ)
        .where(path -> path.endsWith("Data.db"))
        .lasting(Duration.ZERO);
    CompletableFuture<SlicePage> count =
        store
            .coordinator()
            .read(
                SliceRead.count(
                    family,
                    store.key("row"),
                    new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                    Consistency.ONE,
                    clock.monotonicNanos() + Duration.ofSeconds(5).toNanos()));
    long[] reads = new long[1];
    CompletableFuture<Void> timedOut =
        count.handle(
            (answer, failure) -> {
              reads[0] = disk.plan().fired();
              return null;
            });
    store.scheduler().advance(Duration.ofSeconds(60));
    assertTrue(timedOut.isDone());
    assertInstanceOf(
        CoordinationException.ReplicaTimeout.class,
        assertThrows(CompletionException.class, count::join).getCause());
    assertTrue(
        disk.plan().fired() - reads[0] < 200,
        (disk.plan().fired() - reads[0]) + " reads of the file after the caller had given up");
  }
}
