package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.commitlog.SegmentInventory;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.sstable.TestRows;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Writes that wait for room in memory are answered, also after what makes room has failed. */
final class RoomWaitTest {

  private static final Mutation MUTATION =
      new Mutation(
          new RowKey(new byte[] {1}, new byte[] {1}),
          List.of(
              new Mutation.FamilyMutation(
                  new FamilyId(1, 1),
                  RowUpdate.builder(TestRows.STANDARD)
                      .add(Cell.live(new byte[] {1}, null, new byte[] {1}, 1))
                      .build(),
                  0)),
          0);

  private final SimClock clock = new SimClock();
  private final SimScheduler stages = new SimScheduler(clock);
  private final Memtables memtables = new Memtables();
  private final Troubled scheduler = new Troubled(stages);
  private final WritePipeline pipeline = pipeline();

  /** Memtables that are full when a test says so. */
  private final class Memtables implements MutationApplier {
    private final FlushProgress progress = new FlushProgress(clock);
    private long flushSteps;
    private boolean full;
    private boolean flushThrows;

    Memtables() {
      progress.follow(() -> flushSteps);
    }

    void fill() {
      full = true;
      progress.begin();
    }

    @Override
    public Mutation admit(Mutation mutation) {
      return mutation;
    }

    @Override
    public boolean hasRoom(LogPosition reached) {
      if (full && flushThrows) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return !full;
    }

    @Override
    public boolean isFull() {
      return full;
    }

    @Override
    public boolean isStuck() {
      return full && progress.isStill(RoomWait.STILL_LIMIT);
    }

    @Override
    public PreparedMutation prepare(Mutation mutation) {
      return new PreparedMutation(mutation, List.of());
    }

    @Override
    public void publish(PreparedMutation prepared, boolean logged) {}

    @Override
    public void forgetPrepared() {}

    @Override
    public void afterTurn(LogPosition reached) {}

    @Override
    public void logFailed(IOException cause) {
      throw new AssertionError(cause);
    }
  }

  /**
   * Stages that may throw instead of accepting a task, and timers that may have begun to run when
   * they are cancelled.
   */
  private static final class Troubled implements Scheduler {
    private final Scheduler stages;
    private boolean submitThrows;
    private boolean cancelsTooLate;
    private boolean onEventLoop;

    Troubled(Scheduler stages) {
      this.stages = stages;
    }

    @Override
    public boolean submit(Stage stage, Runnable task) {
      if (submitThrows) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return stages.submit(stage, task);
    }

    @Override
    public Cancellable after(Duration delay, Stage stage, Runnable task) {
      Cancellable timer = stages.after(delay, stage, task);
      return cancelsTooLate ? () -> {} : timer;
    }

    @Override
    public Cancellable every(Duration period, Stage stage, Runnable task) {
      return stages.every(period, stage, task);
    }

    @Override
    public @Nullable Stage current() {
      return onEventLoop ? null : Stage.WRITE;
    }

    @Override
    public List<StageFigures> figures() {
      return stages.figures();
    }

    @Override
    public void report(Observer observer) {
      stages.report(observer);
    }
  }

  private WritePipeline pipeline() {
    SimFileSystem disk = new SimFileSystem();
    try {
      CommitLog log =
          CommitLog.open(
              disk,
              SegmentInventory.open(disk),
              CommitLogSettings.defaults(),
              LogPosition.START,
              (position, payload) -> Set.of());
      return new WritePipeline(
          log, memtables, scheduler, () -> {}, clock, false, 1 << 20, LogPosition.START);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private CompletableFuture<Void> write() {
    return write(Long.MAX_VALUE);
  }

  private CompletableFuture<Void> write(Duration callerWaits) {
    return write(clock.monotonicNanos() + callerWaits.toNanos());
  }

  private CompletableFuture<Void> write(long deadlineNanos) {
    long until = RoomWait.until(clock.monotonicNanos(), deadlineNanos);
    CompletableFuture<Void> written =
        assertDoesNotThrow(
            () -> pipeline.submit(MUTATION, false, until, null), "the draining thread died");
    stages.runUntilIdle();
    return written;
  }

  private void roomAgain() {
    memtables.full = false;
    assertDoesNotThrow(() -> pipeline.room().lookAgain());
    stages.runUntilIdle();
  }

  private static void assertRefused(CompletableFuture<Void> written) {
    assertTrue(written.isDone());
    Throwable thrown = written.handle((done, failure) -> failure).join();
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    assertInstanceOf(OverloadedException.class, cause);
  }

  @Test
  void aWriteWaitsForAFlushThatCouldNotBeginAtOnce() {
    memtables.fill();
    memtables.flushThrows = true;
    CompletableFuture<Void> written = write();
    assertFalse(written.isDone(), "it does not grow memtables that nothing flushes");
    roomAgain();
    assertTrue(written.isDone());
    written.join();
  }

  @Test
  void writesAreRefusedWhileNoFlushCanBeginAndAcceptedAfterwards() {
    memtables.fill();
    memtables.flushThrows = true;
    CompletableFuture<Void> waiting = write();
    stages.advance(RoomWait.STILL_LIMIT);
    assertRefused(waiting);
    assertRefused(write());
    assertEquals(List.of(), stages.failures());
    roomAgain();
    CompletableFuture<Void> after = write();
    assertTrue(after.isDone());
    after.join();
  }

  @Test
  void aQueueThatCannotBeHandedOverIsDrainedByTheThreadThatMadeRoom() {
    memtables.fill();
    CompletableFuture<Void> written = write();
    scheduler.submitThrows = true;
    roomAgain();
    assertTrue(written.isDone());
    written.join();
  }

  @Test
  void theLimitOfAWaitThatEndedDoesNotEndTheNextOne() {
    scheduler.cancelsTooLate = true;
    memtables.fill();
    CompletableFuture<Void> first = write();
    stages.advance(RoomWait.STILL_LIMIT.minusMillis(2));
    roomAgain();
    assertTrue(first.isDone());
    first.join();

    memtables.fill();
    CompletableFuture<Void> second = write();
    stages.advance(Duration.ofSeconds(1));
    assertFalse(second.isDone(), "it waits for its own time");
    roomAgain();
    assertTrue(second.isDone());
    second.join();
  }

  @Test
  void aLimitThatIsReachedAfterTheShortageDoesNotCountForTheNextOne() {
    scheduler.cancelsTooLate = true;
    memtables.fill();
    CompletableFuture<Void> first = write();
    roomAgain();
    assertTrue(first.isDone());
    first.join();
    stages.advance(RoomWait.STILL_LIMIT);

    memtables.fill();
    CompletableFuture<Void> second = write();
    assertFalse(second.isDone());
    roomAgain();
    assertTrue(second.isDone());
    second.join();
  }

  /** Time passes while a flush gets on, a step each second. */
  private void flushFor(int seconds) {
    for (int i = 0; i < seconds; i++) {
      stages.advance(Duration.ofSeconds(1));
      memtables.flushSteps++;
    }
  }

  @Test
  void aWriteWaitsAsLongAsFlushesMakeProgressAndItsCallerWaits() {
    memtables.fill();
    CompletableFuture<Void> patient = write(Duration.ofSeconds(60));
    CompletableFuture<Void> hasty = write(Duration.ofSeconds(10));
    flushFor(9);
    assertFalse(hasty.isDone(), "its caller waits for ten seconds");
    CompletableFuture<Void> later = write(Duration.ofSeconds(10));
    flushFor(1);
    assertRefused(hasty);
    assertFalse(later.isDone(), "its own time counts");
    flushFor(30);
    assertRefused(later);
    assertFalse(patient.isDone());
    roomAgain();
    assertTrue(patient.isDone());
    patient.join();
  }

  @Test
  void writesAreRefusedWhenFlushesStandStillAndWaitAgainWhenTheyGoOn() {
    memtables.fill();
    CompletableFuture<Void> waiting = write(Duration.ofSeconds(60));
    flushFor(10);
    stages.advance(RoomWait.STILL_LIMIT.plusSeconds(1));
    assertRefused(waiting);
    assertRefused(write(Duration.ofSeconds(60)));
    memtables.flushSteps++;
    CompletableFuture<Void> next = write(Duration.ofSeconds(60));
    assertFalse(next.isDone());
    roomAgain();
    assertTrue(next.isDone());
    next.join();
  }

  @Test
  void aFlushPassesWritesThatWaitForRoomAndOtherActionsStayBehindThem() {
    memtables.fill();
    List<String> order = new ArrayList<>();
    CompletableFuture<Void> written = write();
    Futures.ignore(pipeline.runBeforeWaiting(reached -> order.add("flush")));
    stages.runUntilIdle();
    assertEquals(List.of("flush"), order);
    assertFalse(written.isDone());

    Futures.ignore(pipeline.run(reached -> order.add("behind the write")));
    Futures.ignore(pipeline.runBeforeWaiting(reached -> order.add("flush behind that")));
    stages.advance(Duration.ofSeconds(1));
    assertEquals(List.of("flush"), order);
    Futures.ignore(written.whenComplete((done, failure) -> order.add("write")));
    roomAgain();
    assertEquals(List.of("flush", "write", "behind the write", "flush behind that"), order);
  }

  @Test
  void withRoomAFlushComesBehindTheWritesBeforeIt() {
    List<String> order = new ArrayList<>();
    scheduler.onEventLoop = true;
    long until = RoomWait.until(clock.monotonicNanos(), Long.MAX_VALUE);
    Futures.ignore(
        pipeline
            .submit(MUTATION, false, until, null)
            .whenComplete((done, failure) -> order.add("write")));
    Futures.ignore(pipeline.runBeforeWaiting(reached -> order.add("flush")));
    stages.runUntilIdle();
    assertEquals(List.of("write", "flush"), order);
  }
}
