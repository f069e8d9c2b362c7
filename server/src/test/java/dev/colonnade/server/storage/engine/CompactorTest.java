package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several merges of one family at a time, and what happens where they do not keep up. */
final class CompactorTest {

  private static final EngineSettings SLOW =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withCompactionBytesPerSecond(8 << 10)
          .withSteps(new WorkSteps(50_000, 2_000, 8, 20_000))
          .build();

  private final SimClock clock = new SimClock();
  private SimulatedStore store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    open(SLOW);
  }

  private void open(EngineSettings settings) throws Exception {
    store = SimulatedStore.open(new SimFileSystem(), settings, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    family = store.family("K", "F");
  }

  private CompletableFuture<?> write(
      String row, Function<RowUpdate.Builder, RowUpdate.Builder> change) {
    return store
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
            Long.MAX_VALUE);
  }

  private CompletableFuture<?> write(String row, int bytes, long timestamp) {
    byte[] name = "c".getBytes(StandardCharsets.UTF_8);
    return write(row, update -> update.add(Cell.live(name, null, noise(bytes), timestamp)));
  }

  /** Does not become smaller by compression. */
  private static byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    new SeededRandom(bytes).nextBytes(noise);
    return noise;
  }

  /** A file of rows, written to disk at once. */
  private void file(String prefix, int rows, int bytes, long timestamp) {
    for (int i = 0; i < rows; i++) {
      store.await(write(prefix + i, bytes, timestamp));
    }
    CompletableFuture<List<String>> flushed = store.engine().flush(family.id());
    store.scheduler().runUntilIdle();
    assertTrue(flushed.isDone(), "a flush waits for no merge");
  }

  private int figure(FamilyFigure figure) {
    return (int) store.engine().figure(family.id(), figure);
  }

  private void awaitWithin(Duration limit, BooleanSupplier condition, String what) {
    long end = clock.monotonicNanos() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(clock.monotonicNanos() < end, what);
      store.scheduler().advance(Duration.ofMillis(100));
    }
  }

  private long live(String row) {
    return store
        .await(
            store
                .coordinator()
                .read(
                    SliceRead.count(
                        family,
                        store.key(row),
                        new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                        Consistency.ONE,
                        Long.MAX_VALUE)))
        .counted();
  }

  @Test
  void mergesThatFailAgainAndAgainAreAConditionUntilOneSucceeds() {
    // Files 1 to 4 are those of the flushes.
    store
        .files()
        .plan()
        .add(FileFault.ERROR)
        .on(FileOperation.WRITE)
        .where(path -> path.matches("keyspaces/K/.*/(00000000000[5-9]|0000000000[1-9].)-Data.*"));
    for (int i = 0; i < 4; i++) {
      file("row" + i, 3, 100, 1);
    }
    store.scheduler().advance(Duration.ofMinutes(5));
    List<Health.Problem> problems = store.health().report().problems();
    assertEquals(1, problems.size(), problems::toString);
    assertEquals(Condition.MERGE, problems.get(0).condition());
    assertEquals("K.F", problems.get(0).subject());
    assertEquals(Impact.NOTICE, problems.get(0).impact());

    store.files().plan().clear();
    awaitWithin(
        Duration.ofMinutes(5),
        () -> store.health().report().equals(Health.Report.SOUND),
        "a merge succeeds");
    assertEquals(1, figure(FamilyFigure.SSTABLES));
  }

  @Test
  void aBigMergeDoesNotHoldUpASmallOne() throws Exception {
    for (int i = 0; i < 4; i++) {
      file("big" + i + "-", 60, 1_000, 1);
    }
    assertEquals(4, figure(FamilyFigure.SSTABLES));
    assertEquals(1, figure(FamilyFigure.PENDING_COMPACTIONS), "240 KB at 8 KB/s: half a minute");
    store.scheduler().advance(Duration.ofSeconds(1));
    for (int i = 0; i < 4; i++) {
      file("small" + i + "-", 2, 100, 1);
    }
    assertEquals(8, figure(FamilyFigure.SSTABLES));
    assertEquals(2, figure(FamilyFigure.PENDING_COMPACTIONS));
    awaitWithin(
        Duration.ofSeconds(10),
        () -> figure(FamilyFigure.SSTABLES) == 5,
        "four small files become one");
    assertEquals(1, figure(FamilyFigure.PENDING_COMPACTIONS), "the big one still runs");
    awaitWithin(
        Duration.ofMinutes(5),
        () -> figure(FamilyFigure.SSTABLES) == 2,
        "four big files become one");
  }

  @Test
  void aDeletionStaysAsLongAsAMergeBesideItHasWhatItHides() throws Exception {
    // What is deleted lies in files that a slow merge reads meanwhile.
    for (int i = 0; i < 4; i++) {
      file("row", 60, 1_000, i + 1L);
    }
    store.scheduler().advance(Duration.ofSeconds(1));
    for (int i = 0; i < 4; i++) {
      int row = i;
      store.await(write("row" + row, update -> update.deleteRow(new DeletionTime(100, 0))));
      file("other" + i, 1, 10, 1);
    }
    awaitWithin(
        Duration.ofSeconds(20),
        () -> figure(FamilyFigure.SSTABLES) == 5,
        "the files with the deletions become one");
    assertEquals(0, live("row0"));
    awaitWithin(
        Duration.ofMinutes(5), () -> figure(FamilyFigure.PENDING_COMPACTIONS) == 0, "all is done");
    for (int i = 0; i < 60; i++) {
      assertEquals(i < 4 ? 0 : 1, live("row" + i), "row" + i);
    }
  }

  @Test
  void whereMergesDoNotKeepUpWritesAreRefusedRatherThanFilesPiledUp() throws Exception {
    open(
        EngineSettingsBuilder.of(SLOW)
            .withMemtableBytesMax(64 << 10)
            .withFamilyFilesMax(12)
            .build());
    int refused = 0;
    int most = 0;
    for (int i = 0; i < 5_000 && refused == 0; i++) {
      CompletableFuture<?> written = write("row" + i, 5_000, 1);
      store.scheduler().runUntilIdle();
      store.scheduler().advance(Duration.ofMillis(2));
      refused += written.isCompletedExceptionally() ? 1 : 0;
      most = Math.max(most, figure(FamilyFigure.SSTABLES));
    }
    assertEquals(1, refused, "writes have to wait for merges: " + most + " files");
    assertTrue(most <= 13, most + " files");
    assertTrue(most >= 12, most + " files");

    // A requested flush is made nevertheless.
    assertTrue(store.succeeds(store.engine().flush(family.id())));
    awaitWithin(
        Duration.ofMinutes(30),
        () -> figure(FamilyFigure.PENDING_COMPACTIONS) == 0 && figure(FamilyFigure.SSTABLES) < 12,
        "merges catch up");
    CompletableFuture<?> again = write("again", 1_000, 1);
    store.scheduler().runUntilIdle();
    assertFalse(again.isCompletedExceptionally());
    assertEquals(1, live("row0"));
  }
}
