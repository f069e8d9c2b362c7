package dev.colonnade.server.storage.engine;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store whose disk is full, read-only, out of descriptors or slow, and what becomes of it. */
class StoreDiskTest {

  private static final long RESERVE_BYTES = 40_000;
  private static final EngineSettings SETTINGS =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withLog(new CommitLogSettings(16 << 10, 256 << 10, 100_000))
          .withDiskReserveBytes(RESERVE_BYTES)
          .build();

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;

  @BeforeEach
  void open() throws Exception {
    reopen(SETTINGS);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of(SweepScript.KEYSPACE)));
    store.await(create("F"));
  }

  private void reopen(EngineSettings settings) throws Exception {
    store = SimulatedStore.open(disk, settings, clock);
  }

  @Test
  void writesAreRefusedBeforeTheDiskIsFullAndTakenAgainWhenThereIsRoom() {
    store.await(put("before", "v"));
    disk.capacityBytes(disk.usedBytes() + RESERVE_BYTES - 1);
    store.scheduler().advance(Duration.ofSeconds(1));
    CoordinationException.DiskFull refused =
        assertInstanceOf(CoordinationException.DiskFull.class, failure(put("during", "v")));
    assertTrue(String.valueOf(refused.getMessage()).contains("Free some"), refused.getMessage());
    assertInstanceOf(CoordinationException.DiskFull.class, failure(create("G")));
    assertEquals(Map.of("row/before", "v"), rows());
    assertTrue(store.engine().failure().isEmpty());
    disk.capacityBytes(disk.usedBytes() + 10 * RESERVE_BYTES);
    store.scheduler().advance(Duration.ofSeconds(1));
    store.await(put("after", "v"));
    assertEquals(Map.of("row/before", "v", "row/after", "v"), rows());
  }

  /** No time passes here, so that only the writes themselves check the disk. */
  @Test
  void aWriterThatIsFasterThanTheNextLookLeavesTheReserve() {
    int valueBytes = 2_000;
    disk.capacityBytes(disk.usedBytes() + 2 * RESERVE_BYTES);
    store.scheduler().advance(Duration.ofSeconds(1));
    CompletableFuture<AskedReplicas> write = put("c", "v");
    for (int i = 0; store.succeeds(write); i++) {
      assertTrue(i < 2 * RESERVE_BYTES / valueBytes, "the disk never ran full");
      write = put("c" + i, "x".repeat(valueBytes));
    }
    assertInstanceOf(CoordinationException.DiskFull.class, failure(write));
    assertTrue(disk.usableBytes() > RESERVE_BYTES - 2L * valueBytes, disk.usableBytes() + " left");
  }

  @Test
  void truncatingAndDroppingAreAllowedOnAFullDisk() {
    for (int i = 0; i < 30; i++) {
      store.await(put("c" + i, "x".repeat(2_000)));
    }
    store.await(store.operations().flush(List.of(family())));
    disk.capacityBytes(disk.usedBytes() + RESERVE_BYTES / 2);
    store.scheduler().advance(Duration.ofSeconds(1));
    long before = disk.usedBytes();
    store.await(store.schema().truncate(family(), Long.MAX_VALUE));
    store.scheduler().runUntilIdle();
    assertTrue(disk.usedBytes() < before, "truncation gave room back");
    store.await(store.schema().dropFamily(SweepScript.KEYSPACE, "F"));
  }

  @Test
  void aDiskThatFillsUpAtOnceLosesNothingAndNeedsNoRestart() throws Exception {
    reopenWithoutReserve();
    disk.capacityBytes(disk.usedBytes() + 30_000);
    int taken = 0;
    int refused = 0;
    for (int i = 0; i < 60; i++) {
      CompletableFuture<AskedReplicas> write = put("c" + i, "x".repeat(1_000));
      if (store.succeeds(write)) {
        taken++;
      } else {
        assertInstanceOf(CoordinationException.DiskFull.class, failure(write));
        refused++;
      }
    }
    assertTrue(taken > 10 && refused > 10, taken + " taken, " + refused + " refused");
    assertEquals(taken, rows().size());
    assertInstanceOf(
        CoordinationException.DiskFull.class, failure(store.operations().flush(List.of(family()))));
    assertTrue(store.engine().failure().isEmpty(), () -> store.engine().failure().toString());
    assertEquals(
        List.of(
            new Health.Problem(
                Condition.FLUSH,
                family().qualifiedName(),
                Impact.NOTICE,
                "its memtables cannot be written to data files; see the node's log for the cause:"
                    + " when memory for memtables is used up, writes are refused")),
        store.health().report().problems());
    disk.capacityBytes(1 << 20);
    store.scheduler().advance(Duration.ofSeconds(10));
    assertEquals(Health.Report.SOUND, store.health().report());
    store.await(put("after", "v"));
    store.await(store.operations().flush(List.of(family())));
    assertEquals(taken + 1, rows().size());
    store.scheduler().shutDown();
    SimFileSystem after = disk.crashClone();
    store = SimulatedStore.open(after, SETTINGS, clock);
    assertEquals(taken + 1, rows().size());
  }

  @Test
  void aMergeThatWouldNotFitIsNotBegun() {
    for (int file = 0; file < 2; file++) {
      for (int i = 0; i < 30; i++) {
        store.await(put("c" + i + "-" + file, letters(1_000, i + 31 * file)));
      }
      store.await(store.operations().flush(List.of(family())));
    }
    disk.capacityBytes(disk.usedBytes() + RESERVE_BYTES + 20_000);
    long before = disk.operations();
    CompletableFuture<Void> merge = store.operations().compact(List.of(family()), progress -> {});
    assertInstanceOf(CoordinationException.DiskFull.class, failure(merge));
    assertEquals(before, disk.operations(), "nothing was written");
    disk.capacityBytes(1 << 22);
    store.await(store.operations().compact(List.of(family()), progress -> {}));
    assertEquals(1, store.engine().figure(family().id(), FamilyFigure.SSTABLES));
  }

  @Test
  void aReadOnlyDiskStopsWritesWithWordsAndReadsGoOn() {
    store.await(put("before", "v"));
    store.await(store.operations().flush(List.of(family())));
    disk.plan().add(FileFault.READ_ONLY);
    assertInstanceOf(CoordinationException.StorageFailed.class, failure(put("during", "v")));
    CoordinationException.NodeNotReady later =
        assertInstanceOf(CoordinationException.NodeNotReady.class, failure(put("later", "v")));
    assertTrue(String.valueOf(later.getMessage()).contains("Read-only"), later.getMessage());
    assertTrue(String.valueOf(later.getMessage()).contains("restarted"), later.getMessage());
    assertTrue(
        store.health().report().problems().stream()
            .anyMatch(
                problem ->
                    problem.condition() == Condition.COMMIT_LOG
                        && problem.impact() == Impact.NO_WRITES),
        () -> "probes and peers must hear of it: " + store.health().report());
    assertEquals(Map.of("row/before", "v"), rows());
  }

  @Test
  void withoutDescriptorsWritesThatNeedNoneGoOnAndTheRestRecovers() {
    store.await(put("before", "v"));
    disk.plan().add(FileFault.NO_DESCRIPTORS);
    store.await(put("during", "v"));
    assertInstanceOf(
        CoordinationException.StorageFailed.class,
        failure(store.operations().flush(List.of(family()))));
    // The next segment of the log cannot be made.
    int refused = 0;
    for (int i = 0; i < 40; i++) {
      refused += store.succeeds(put("c" + i, "x".repeat(1_000))) ? 0 : 1;
    }
    assertTrue(refused > 10, "refused: " + refused);
    disk.plan().clear();
    store.await(put("after", "v"));
    store.await(store.operations().flush(List.of(family())));
    assertTrue(store.engine().failure().isEmpty());
    assertEquals(43 - refused, rows().size());
  }

  @Test
  void aStalledDiskKeepsCallersNoLongerThanTheyWait() {
    store.await(put("before", "v"));
    disk.plan()
        .add(FileFault.STALL)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith("segment"))
        .lasting(Duration.ofMinutes(5))
        .once();
    long deadline = clock.monotonicNanos() + Duration.ofSeconds(2).toNanos();
    CompletableFuture<AskedReplicas> late = put(family(), "late", "v", true, deadline);
    long[] told = {0};
    var unused = late.whenComplete((done, failure) -> told[0] = clock.monotonicNanos());
    store.scheduler().runUntil(late::isDone, Duration.ofMinutes(10));
    assertInstanceOf(CoordinationException.ReplicaTimeout.class, failure(late));
    assertEquals(deadline, told[0]);
    store.scheduler().advance(Duration.ofMinutes(6));
    store.await(put("after", "v"));
    assertEquals(Map.of("row/before", "v", "row/late", "v", "row/after", "v"), rows());
    CompletableFuture<AskedReplicas> tooLate =
        put(family(), "no", "v", true, clock.monotonicNanos());
    assertInstanceOf(CoordinationException.ReplicaTimeout.class, failure(tooLate));
    assertFalse(rows().containsKey("row/no"));
    CompletableFuture<Void> truncation = store.schema().truncate(family(), clock.monotonicNanos());
    assertInstanceOf(CoordinationException.ReplicaTimeout.class, failure(truncation));
  }

  @Test
  void anOrderlyStopFlushesWhatIsNotInTheLog() throws Exception {
    store.await(put(family(), "unlogged", "v", false, Long.MAX_VALUE));
    store.close();
    reopen(SETTINGS);
    assertEquals(Map.of("row/unlogged", "v"), rows());
  }

  @Test
  void aTruncationThatFailsForgetsNothing() throws Exception {
    store.await(put("kept", "v"));
    store.await(store.operations().flush(List.of(family())));
    store.await(put("in memory", "v"));
    disk.plan().add(FileFault.ERROR).where(path -> path.startsWith("MANIFEST")).once();
    assertInstanceOf(
        CoordinationException.StorageFailed.class,
        failure(store.schema().truncate(family(), Long.MAX_VALUE)));
    assertEquals(Map.of("row/kept", "v", "row/in memory", "v"), rows());
  }

  /**
   * The remains of a failed append lie after the position that a truncation would declare flushed.
   */
  @Test
  void nothingIsTruncatedOnceTheLogHasFailed() throws Exception {
    disk.plan().add(FileFault.ERROR).where(path -> path.startsWith("segment")).once();
    CompletableFuture<AskedReplicas> lost = put("of unknown fate", "v");
    assertInstanceOf(CoordinationException.StorageFailed.class, failure(lost));
    assertInstanceOf(
        CoordinationException.NodeNotReady.class,
        failure(store.schema().truncate(family(), Long.MAX_VALUE)));
  }

  /** It is in the log and in no memtable: a flush of one family must not cover it. */
  @Test
  void aRowWhoseSyncFailedIsThereInAllItsFamiliesOrInNone() throws Exception {
    store.await(create("G"));
    store.await(put("before", "v"));
    disk.plan()
        .add(FileFault.ERROR)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith("segment"))
        .once();
    RowUpdate update =
        RowUpdate.builder(family().order())
            .add(Cell.live(bytes("torn"), null, bytes("v"), 1))
            .build();
    ColumnFamily other = store.family(SweepScript.KEYSPACE, "G");
    RowMutation both =
        new RowMutation(
            store.key("row"),
            List.of(
                new RowMutation.FamilyUpdate(family(), update),
                new RowMutation.FamilyUpdate(other, update)));
    assertInstanceOf(
        CoordinationException.StorageFailed.class,
        failure(store.coordinator().write(List.of(both), true, Consistency.ONE, Long.MAX_VALUE)));
    store.await(store.operations().flush(List.of(family())));
    store.scheduler().shutDown();
    disk.kill();
    reopen(SETTINGS);
    Map<String, Map<String, String>> families = SweepCheck.contents(store).families();
    Map<String, String> others = families.getOrDefault("G", Map.of());
    assertEquals("v", rows().get("row/before"));
    assertEquals(rows().containsKey("row/torn"), others.containsKey("row/torn"));
  }

  @Test
  void anOversizedMutationFailsAlone() {
    CompletableFuture<AskedReplicas> large = put("large", "x".repeat(200_000));
    CompletableFuture<AskedReplicas> small = put("small", "v");
    assertInstanceOf(CoordinationException.TooLarge.class, failure(large));
    store.await(small);
    assertEquals(Map.of("row/small", "v"), rows());
  }

  @Test
  void aBatchIsToldAsRefusedOnlyIfNothingOfItWasApplied() {
    CoordinationException.PartlyApplied partly =
        assertInstanceOf(
            CoordinationException.PartlyApplied.class,
            failure(batch(row("small", "v"), row("large", "x".repeat(200_000)))));
    assertInstanceOf(CoordinationException.TooLarge.class, partly.refusal());
    assertEquals(Map.of("small/c", "v"), rows());

    String large = "x".repeat(200_000);
    assertInstanceOf(
        CoordinationException.TooLarge.class,
        failure(batch(row("large", large), row("as-large", large))));
    assertEquals(Map.of("small/c", "v"), rows());
  }

  private CompletableFuture<AskedReplicas> batch(RowMutation... rows) {
    return store.coordinator().write(List.of(rows), true, Consistency.ONE, Long.MAX_VALUE);
  }

  private RowMutation row(String key, String value) {
    RowUpdate update =
        RowUpdate.builder(family().order())
            .add(Cell.live(bytes("c"), null, bytes(value), 1))
            .build();
    return new RowMutation(store.key(key), List.of(new RowMutation.FamilyUpdate(family(), update)));
  }

  @Test
  void aStopEndsAMergeThatPauses() throws Exception {
    store.close();
    reopen(EngineSettingsBuilder.of(SETTINGS).withCompactionBytesPerSecond(1).build());
    for (int file = 0; file < 2; file++) {
      for (int i = 0; i < 30; i++) {
        store.await(put("c" + i, "x".repeat(3_000)));
      }
      store.await(store.operations().flush(List.of(family())));
    }
    CompletableFuture<Void> merge = store.operations().compact(List.of(family()), step -> {});
    store.scheduler().advance(Duration.ofSeconds(5));
    store.close();
    assertTrue(merge.isCompletedExceptionally() || merge.isDone());
    assertEquals(List.of(), disk.openFiles());
  }

  @Test
  void aFamilyWhoseCreationWasCompletedByAReplayKeepsItsFiles() throws Exception {
    List<SimFileSystem> crashed = new ArrayList<>();
    long operations = disk.operations();
    disk.afterEach(
        () -> {
          // The change is in the log, and not yet in a file.
          if (crashed.isEmpty() && disk.operations() >= operations + 6) {
            crashed.add(disk.crashClone());
          }
        });
    store.await(create("G"));
    SimFileSystem after = crashed.get(0);
    store = SimulatedStore.open(after, SETTINGS, clock);
    ColumnFamily completed = store.family(SweepScript.KEYSPACE, "G");
    store.await(put(completed, "c", "v", true, Long.MAX_VALUE));
    store.await(store.operations().flush(List.of(completed)));
    store.await(put(completed, "d", "v", true, Long.MAX_VALUE));
    store = SimulatedStore.open(after.crashClone(), SETTINGS, clock);
    assertEquals(
        Map.of("row/c", "v", "row/d", "v"), SweepCheck.contents(store).families().get("G"));
  }

  private void reopenWithoutReserve() throws Exception {
    store.close();
    reopen(EngineSettingsBuilder.of(SETTINGS).withDiskReserveBytes(0).build());
  }

  private CompletableFuture<String> create(String name) {
    return store
        .schema()
        .createFamily(FamilyDefinition.standard(SweepScript.KEYSPACE, name, "UTF8Type"));
  }

  private ColumnFamily family() {
    return store.family(SweepScript.KEYSPACE, "F");
  }

  private Map<String, String> rows() {
    return SweepCheck.contents(store).families().getOrDefault("F", Map.of());
  }

  private Throwable failure(CompletableFuture<?> future) {
    return requireNonNull(
        assertThrows(CompletionException.class, () -> store.await(future)).getCause());
  }

  private static String letters(int count, long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(count);
    for (int i = 0; i < count; i++) {
      text.append((char) ('!' + random.nextInt(90)));
    }
    return text.toString();
  }

  private CompletableFuture<AskedReplicas> put(String column, String value) {
    return put(family(), column, value, true, Long.MAX_VALUE);
  }

  private CompletableFuture<AskedReplicas> put(
      ColumnFamily family, String column, String value, boolean durable, long deadlineNanos) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live(bytes(column), null, bytes(value), 1))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.key("row"), List.of(new RowMutation.FamilyUpdate(family, update)))),
            durable,
            Consistency.ONE,
            deadlineNanos);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
