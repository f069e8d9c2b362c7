package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a wall clock that steps, in either direction and by any amount, or stops, loses nothing,
 * delays nothing, and affects only what is measured by it: times to live, and gc grace. Method: the
 * simulated clock is stepped apart from the monotonic one under every kind of work. {@code
 * NoResurrectionTest} has the step back behind a purge.
 *
 * <p>{@code -Dcolonnade.clock.scripts=100} runs that many random scripts under a stepping clock.
 */
class StoreClockTest {

  private static final int SCRIPTS = Integer.getInteger("colonnade.clock.scripts", 6);
  private static final long SEED = Long.getLong("colonnade.clock.seed", 20_261_122);
  private static final int STEPS = 150;

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();

  @Test
  void timestampsOfOneNodeStrictlyIncreaseWhateverTheClockDoes() {
    RandomSource random = new SeededRandom(SEED);
    IncreasingTimestamps timestamps = new IncreasingTimestamps(clock);
    long last = Long.MIN_VALUE;
    for (int i = 0; i < 100_000; i++) {
      long next = timestamps.nextMicros();
      assertTrue(next > last, next + " after " + last + ", -Dcolonnade.clock.seed=" + SEED);
      assertTrue(next >= clock.wallMicros(), "not behind the clock");
      last = next;
      switch (random.nextInt(4)) {
        case 0 -> clock.advance(Duration.ofNanos(random.nextInt(10_000)));
        case 1 -> clock.stepWall(step(random));
        default -> {
          // It stops.
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-86_400, -3_600, -1, 1, 3_600, 86_400})
  void aTimeToLiveIsOffByTheStepAndByNoMore(long stepSeconds) throws Exception {
    StoreScript store = StoreScript.open(disk, SimulatedStore.TINY, clock);
    ColumnFamily family = create(store);
    int toLive = 200_000;
    store.putFor(family, "row", "a", "brief", 1, toLive);
    store.put(family, "row", "b", "kept", 1);
    store.store().scheduler().advance(Duration.ofSeconds(100));
    clock.stepWall(Duration.ofSeconds(stepSeconds));
    assertEquals("a=brief b=kept", store.row(family, "row"));
    long left = toLive - 100 - stepSeconds;
    store.store().scheduler().advance(Duration.ofSeconds(left - 1));
    assertEquals("a=brief b=kept", store.row(family, "row"));
    store.flush(family);
    store.store().scheduler().advance(Duration.ofSeconds(2));
    assertEquals("b=kept", store.row(family, "row"));
    store.compact(family);
    store = store.restarted();
    assertEquals("b=kept", store.row(store.family("F"), "row"));
  }

  @Test
  void aDeletionIsKeptForItsGraceByTheClockThatItWasMadeBy() throws Exception {
    StoreScript store = StoreScript.open(disk, SimulatedStore.TINY, clock);
    ColumnFamily family = create(store);
    store.put(family, "row", "a", "old", 1);
    store.flush(family);
    store.delete(family, "row", "a", 2);
    clock.stepWall(Duration.ofDays(-30));
    store.flush(family);
    store.compact(family);
    assertEquals("", store.row(family, "row"));
    store.put(family, "row", "a", "older than the deletion", 1);
    assertEquals("", store.row(family, "row"), "a merge before its grace has kept the deletion");
    clock.stepWall(Duration.ofDays(60));
    store.flush(family);
    store.compact(family);
    assertEquals("", store.row(family, "row"));
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void aDeadlineIsNeitherEarlyNorLateWhenTheClockSteps(long stepSeconds) throws Exception {
    StoreScript store = StoreScript.open(disk, SimulatedStore.TINY, clock);
    ColumnFamily family = create(store);
    disk.plan()
        .add(FileFault.STALL)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith("segment"))
        .lasting(Duration.ofMinutes(5))
        .once();
    long deadline = clock.monotonicNanos() + Duration.ofSeconds(2).toNanos();
    CompletableFuture<AskedReplicas> late = write(store, family, "late", deadline);
    long[] told = {0};
    var unused = late.whenComplete((done, failure) -> told[0] = clock.monotonicNanos());
    clock.stepWall(Duration.ofSeconds(stepSeconds));
    store.store().scheduler().runUntil(late::isDone, Duration.ofMinutes(10));
    assertInstanceOf(
        CoordinationException.ReplicaTimeout.class,
        assertThrows(CompletionException.class, late::join).getCause());
    assertEquals(deadline, told[0]);
    store.store().scheduler().advance(Duration.ofMinutes(6));
    long enough = clock.monotonicNanos() + Duration.ofSeconds(2).toNanos();
    clock.stepWall(Duration.ofSeconds(stepSeconds));
    store.store().await(write(store, family, "in time", enough));
  }

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600})
  void thePeriodOfSyncsIsCountedByTheClockThatDoesNotStep(long stepSeconds) throws Exception {
    EngineSettings periodic =
        EngineSettingsBuilder.of(SimulatedStore.TINY)
            .withSync(false, Duration.ofSeconds(1))
            .build();
    StoreScript store = StoreScript.open(disk, periodic, clock);
    ColumnFamily family = create(store);
    store.put(family, "row", "a", "1", 1);
    clock.stepWall(Duration.ofSeconds(stepSeconds));
    store.store().scheduler().advance(Duration.ofMillis(2_100));
    store = store.powerCut();
    assertEquals("a=1", store.row(store.family("F"), "row"));
  }

  @Test
  void randomScriptsGiveTheSameUnderAClockThatSteps() throws Exception {
    for (long seed = SEED; seed < SEED + SCRIPTS; seed++) {
      runUnderSteps(seed);
    }
  }

  private static void runUnderSteps(long seed) throws Exception {
    RandomSource random = new SeededRandom(seed).fork("steps");
    SweepRun run = new SweepRun(new SimFileSystem(), SimulatedStore.TINY);
    run.open();
    List<SweepStep> script = SweepScript.of(new SeededRandom(seed).fork("script"), STEPS);
    for (int i = 0; i < script.size(); i++) {
      if (random.nextInt(4) == 0) {
        run.clock().stepWall(step(random));
      }
      run.perform(i, script.get(i));
      SweepCheck.requireOneOf(
          run.possible(),
          SweepCheck.contents(run.store()),
          "-Dcolonnade.clock.seed=" + seed + ", " + run.at());
    }
    assertEquals(List.of(), run.failures());
    assertEquals(List.of(), run.store().scheduler().failures());
    assertFalse(run.isBlurred());
  }

  /** From a millisecond to a day, in both directions. */
  private static Duration step(RandomSource random) {
    long millis = 1L << random.nextInt(27);
    return Duration.ofMillis(random.nextInt(2) == 0 ? millis : -millis);
  }

  private static ColumnFamily create(StoreScript store) {
    return store.create(FamilyDefinition.standard(StoreScript.KEYSPACE, "F", "UTF8Type"));
  }

  private static CompletableFuture<AskedReplicas> write(
      StoreScript store, ColumnFamily family, String column, long deadlineNanos) {
    byte[] name = StoreScript.bytes(column);
    RowUpdate update =
        RowUpdate.builder(family.order()).add(Cell.live(name, null, name, 1)).build();
    return store
        .store()
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.store().key("row"),
                    List.of(new RowMutation.FamilyUpdate(family, update)))),
            true,
            Consistency.ONE,
            deadlineNanos);
  }
}
