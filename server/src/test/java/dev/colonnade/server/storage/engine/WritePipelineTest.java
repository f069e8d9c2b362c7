package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Writes in one order, beside a sync of the commit log that does not come back for a minute, in
 * periodic mode: they go on until the log needs a segment that is not there yet, then wait in a
 * bounded queue; no thread blocks.
 */
final class WritePipelineTest {

  private static final Duration STUCK = Duration.ofMinutes(1);
  private static final EngineSettings SETTINGS =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withSync(false, Duration.ofSeconds(1))
          .withLog(new CommitLogSettings(64 << 10, 1 << 20, 32 << 20))
          .build();

  private final SimFileSystem disk = new SimFileSystem();
  private final SimClock clock = new SimClock();
  private SimulatedStore store;
  private ColumnFamily family;

  @BeforeEach
  void open() throws Exception {
    open(SETTINGS);
  }

  private void open(EngineSettings settings) throws Exception {
    store = SimulatedStore.open(disk, settings, clock);
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "F")));
    family = store.family("K", "F");
  }

  private CompletableFuture<?> write(String row, int bytes) {
    RowUpdate update =
        RowUpdate.builder(family.order())
            .add(Cell.live("c".getBytes(StandardCharsets.UTF_8), null, new byte[bytes], 1))
            .build();
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    store.key(row), List.of(new RowMutation.FamilyUpdate(family, update)))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }

  /** Makes the next sync hang, and does something ten seconds later. */
  private void whileASyncHangs(Runnable action) {
    CompletableFuture<?> before = write("before", 10);
    store.scheduler().advance(Duration.ofMillis(1));
    assertTrue(before.isDone());
    disk.plan().add(FileFault.STALL).on(FileOperation.SYNC).lasting(STUCK).once();
    boolean[] done = new boolean[1];
    store
        .scheduler()
        .after(
            Duration.ofSeconds(10),
            Stage.TIMER,
            () -> {
              assertEquals(1, disk.plan().fired());
              store.scheduler().outside(action);
              done[0] = true;
            });
    store.scheduler().advance(Duration.ofSeconds(30));
    assertEquals(List.of(), store.scheduler().failures());
    assertTrue(done[0]);
    store.guarded().check();
  }

  private void at(int seconds, Runnable action) {
    store.scheduler().after(Duration.ofSeconds(seconds), Stage.TIMER, action);
  }

  /** Writes while a sync hangs, and checks a second later whether all are done. */
  private void assertMadeBesideASyncThatHangs(int count, int bytes) {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    List<Boolean> doneAfterASecond = new ArrayList<>();
    at(11, () -> doneAfterASecond.add(writes.stream().allMatch(CompletableFuture::isDone)));
    whileASyncHangs(
        () -> {
          for (int i = 0; i < count; i++) {
            writes.add(write("row" + i, bytes));
          }
        });
    assertEquals(count, writes.size());
    assertEquals(List.of(true), doneAfterASecond);
  }

  @Test
  void writesGoOnBesideASyncThatHangs() {
    assertMadeBesideASyncThatHangs(50, 100);
  }

  /** It goes into the segment that is ready. */
  @Test
  void aLargeWriteDoesNotWaitForTheSync() {
    assertMadeBesideASyncThatHangs(1, 300 << 10);
  }

  @Test
  void theWritesOfOneFamilyDoNotHoldUpThatOfAnother() throws Exception {
    store.await(store.schema().createFamily(FamilyDefinition.of("K", "G")));
    ColumnFamily other = store.family("K", "G");
    List<String> done = new ArrayList<>();
    List<CompletableFuture<?>> writes = new ArrayList<>();
    store
        .scheduler()
        .outside(
            () -> {
              for (int i = 0; i < 2_000; i++) {
                writes.add(write("row" + i, 10).thenRun(() -> done.add("F")));
              }
              ColumnFamily busy = family;
              family = other;
              writes.add(write("row", 10).thenRun(() -> done.add("G")));
              family = busy;
            });
    store.scheduler().advance(Duration.ofSeconds(1));
    assertTrue(writes.stream().allMatch(CompletableFuture::isDone));
    assertEquals(2_001, done.size());
    assertTrue(done.indexOf("G") < 400, "written as number " + done.indexOf("G"));
  }

  /** Where the disk hangs, the write at the end of the log hangs as well as its sync. */
  @Test
  void aWriteOfTheLogThatHangsHoldsNoOneButTheWriteStage() {
    disk.plan().add(FileFault.STALL).on(FileOperation.WRITE).lasting(STUCK).once();

    CompletableFuture<?> first = write("first", 10);

    // An event loop would still be in there.
    assertEquals(0, disk.plan().fired());
    assertFalse(first.isDone());
    List<CompletableFuture<?>> later = new ArrayList<>();
    List<Boolean> doneWhileItHangs = new ArrayList<>();
    at(10, () -> store.scheduler().outside(() -> later.add(write("second", 10))));
    at(20, () -> doneWhileItHangs.add(first.isDone() || later.get(0).isDone()));
    store.scheduler().advance(STUCK.multipliedBy(2));
    assertEquals(1, disk.plan().fired());
    assertEquals(List.of(false), doneWhileItHangs);
    assertTrue(first.isDone() && later.get(0).isDone());
    store.guarded().check();
  }

  @Test
  void withoutANextSegmentWritesWaitInABoundedQueueAndAreMadeInTheEnd() {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    whileASyncHangs(
        () -> {
          while (writes.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
            writes.add(write("row" + writes.size(), 20 << 10));
          }
        });
    CompletableFuture<?> refused = writes.remove(writes.size() - 1);
    assertInstanceOf(
        CoordinationException.Overloaded.class,
        assertThrows(CompletionException.class, refused::join).getCause());
    // Some went into the two segments that were there, the queue took the others; each has some
    // bytes beside its value.
    assertTrue(writes.get(0).isDone());
    long queued = writes.size() * (20L << 10);
    assertTrue(queued >= SETTINGS.writeQueueBytesMax() - (256 << 10), queued + " bytes");
    assertTrue(queued <= SETTINGS.writeQueueBytesMax() + (256 << 10), queued + " bytes");
    store.scheduler().advance(STUCK);
    for (CompletableFuture<?> write : writes) {
      assertTrue(write.isDone());
      write.join();
    }
    assertTrue(store.engine().failure().isEmpty());
  }

  /** The sync holds up the segment that the large write needs, and the small ones need none. */
  @Test
  void smallWritesPassALargeOneThatNeedsASegmentWhichIsNotThereYet() throws Exception {
    reopenWithLargeSegments();
    List<CompletableFuture<?>> large = new ArrayList<>();
    List<CompletableFuture<?>> small = new ArrayList<>();
    List<String> doneWhileItHangs = new ArrayList<>();
    at(11, () -> store.scheduler().outside(() -> small.add(write("small", 10))));
    at(12, () -> store.scheduler().outside(() -> small.add(write("smaller", 10))));
    at(13, () -> doneWhileItHangs.add(done(large) + " and " + done(small)));
    whileASyncHangs(
        () -> {
          for (int i = 0; i < 4; i++) {
            large.add(write("large" + i, 600 << 10));
          }
        });
    // One each in the two segments that were there.
    assertEquals(List.of("2 of 4 and 2 of 2"), doneWhileItHangs);
    store.scheduler().advance(STUCK);
    assertEquals("4 of 4", done(large));
    assertTrue(store.engine().failure().isEmpty());
  }

  /** The next attempt makes it, or the write is refused; it is not left in the queue. */
  @Test
  void aLargeWriteIsNotForgottenWhenItsSegmentCannotBeMade() throws Exception {
    reopenWithLargeSegments();
    List<CompletableFuture<?>> large = new ArrayList<>();
    whileASyncHangs(
        () -> {
          disk.plan().add(FileFault.NO_SPACE).on(FileOperation.CREATE).once();
          for (int i = 0; i < 4; i++) {
            large.add(write("large" + i, 600 << 10));
          }
        });
    store.scheduler().advance(STUCK);
    assertEquals("4 of 4", done(large));
  }

  private void reopenWithLargeSegments() throws Exception {
    store.close();
    store =
        SimulatedStore.open(
            disk,
            EngineSettingsBuilder.of(SETTINGS)
                .withLog(new CommitLogSettings(1 << 20, 16 << 20, 32 << 20))
                .build(),
            clock);
    family = store.family("K", "F");
  }

  private static String done(List<CompletableFuture<?>> writes) {
    return writes.stream().filter(CompletableFuture::isDone).count() + " of " + writes.size();
  }

  /** However writes are grouped, and whichever of them wait for the disk. */
  @Test
  void anActionSeesTheWritesBeforeItAndNoneAfterIt() throws Exception {
    store.close();
    store =
        SimulatedStore.open(
            disk,
            EngineSettingsBuilder.of(SETTINGS).withSync(true, Duration.ofSeconds(1)).build(),
            clock);
    family = store.family("K", "F");
    List<CompletableFuture<?>> writes = new ArrayList<>();
    List<CompletableFuture<List<String>>> flushes = new ArrayList<>();
    Runnable action =
        () -> {
          for (int i = 0; i < 30; i++) {
            // Large ones take turns with small ones, and a flush comes in between.
            writes.add(write("row" + i, i % 3 == 0 ? 200 << 10 : 10));
            if (i == 9 || i == 19) {
              flushes.add(store.engine().flush(family.id()));
            }
          }
        };
    store.scheduler().after(Duration.ofMillis(1), Stage.TIMER, action);
    store.scheduler().advance(Duration.ofSeconds(10));
    assertTrue(writes.stream().allMatch(CompletableFuture::isDone));
    flushes.forEach(CompletableFuture::join);
    assertEquals(2, store.engine().figure(family.id(), FamilyFigure.SSTABLES));
    // What was written after the second flush, and nothing before, is in the log alone.
    store.scheduler().shutDown();
    disk.kill();
    store = SimulatedStore.open(disk, SETTINGS, clock);
    assertTrue(
        store.engine().recoveryReport().startsWith("10 records"), store.engine().recoveryReport());
  }
}
