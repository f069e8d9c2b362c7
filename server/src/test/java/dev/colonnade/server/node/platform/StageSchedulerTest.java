package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Scheduler.StageFigures;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.sim.SchedulerContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real threads, and what only real threads can show. */
final class StageSchedulerTest extends SchedulerContract {
  private final StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));

  @Override
  protected Scheduler scheduler() {
    return scheduler;
  }

  @Override
  protected void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not so within 30 seconds");
      Thread.onSpinWait();
    }
  }

  @AfterEach
  void stop() {
    scheduler.abandon();
  }

  @Test
  void anErrorOfATaskIsToldAndTheStageGoesOn() throws InterruptedException {
    List<Error> told = new CopyOnWriteArrayList<>();
    StageScheduler small = new StageScheduler(sizes(1, 10, 1), told::add);
    AtomicInteger ran = new AtomicInteger();
    Error missing = new NoClassDefFoundError("missing");
    assertTrue(
        small.submit(
            Stage.READ,
            () -> {
              throw new IllegalStateException("a bug");
            }));
    assertTrue(
        small.submit(
            Stage.READ,
            () -> {
              throw missing;
            }));
    assertTrue(small.submit(Stage.READ, ran::incrementAndGet));
    assertTrue(small.drain(Duration.ofSeconds(30)));
    assertEquals(List.of(missing), told);
    assertEquals(1, ran.get());
    assertEquals(2, figures(small, Stage.READ).failed());
  }

  @Test
  void aFullQueueRefusesAndCounts() throws InterruptedException {
    StageScheduler small = new StageScheduler(sizes(1, 1, 1));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    assertTrue(small.submit(Stage.READ, () -> block(started, release)));
    started.await();
    assertTrue(small.submit(Stage.READ, () -> {}));
    assertFalse(small.submit(Stage.READ, () -> {}));
    assertEquals(1, figures(small, Stage.READ).rejected());
    assertEquals(1, figures(small, Stage.READ).pending());
    assertEquals(1, figures(small, Stage.READ).active());
    release.countDown();
    assertTrue(small.drain(Duration.ofSeconds(30)));
    assertEquals(2, figures(small, Stage.READ).completed());
  }

  @Test
  void aDelayedTaskWaitsForAPlaceInAFullQueue() throws InterruptedException {
    StageScheduler small = new StageScheduler(sizes(1, 1, 10));
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch delayed = new CountDownLatch(1);
    assertTrue(small.submit(Stage.READ, () -> block(started, release)));
    started.await();
    assertTrue(small.submit(Stage.READ, () -> {}));
    small.after(Duration.ofMillis(1), Stage.READ, delayed::countDown);
    await(() -> figures(small, Stage.READ).rejected() > 0);
    release.countDown();
    delayed.await();
    small.abandon();
  }

  @Test
  void drainingRunsWhatIsQueuedAndWhatThatHandsOn() throws InterruptedException {
    AtomicInteger ran = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      assertTrue(
          scheduler.submit(
              Stage.READ,
              () -> {
                if (scheduler.submit(Stage.CONTROL, ran::incrementAndGet)) {
                  ran.incrementAndGet();
                }
              }));
    }
    assertTrue(scheduler.drain(Duration.ofSeconds(30)));
    assertEquals(200, ran.get());
    assertFalse(scheduler.submit(Stage.CONTROL, ran::incrementAndGet));
    scheduler.after(Duration.ZERO, Stage.CONTROL, ran::incrementAndGet).cancel();
    assertEquals(200, ran.get());
  }

  @Test
  void abandoningForgetsWhatIsQueued() throws InterruptedException {
    StageScheduler small = new StageScheduler(sizes(1, 10, 1));
    AtomicInteger ran = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    assertTrue(small.submit(Stage.READ, () -> block(started, release)));
    started.await();
    assertTrue(small.submit(Stage.READ, ran::incrementAndGet));
    small.abandon();
    release.countDown();
    assertTrue(small.drain(Duration.ofSeconds(30)));
    assertEquals(0, ran.get());
  }

  @Test
  void tooManyTimersAreRefused() {
    StageScheduler small = new StageScheduler(sizes(1, 1, 1));
    Duration hour = Duration.ofHours(1);
    small.after(hour, Stage.READ, () -> {}).cancel();
    small.after(hour, Stage.READ, () -> {});
    assertThrows(RejectedExecutionException.class, () -> small.after(hour, Stage.READ, () -> {}));
    small.abandon();
  }

  @Test
  void threadsAreNamedDaemons() {
    AtomicInteger right = new AtomicInteger();
    assertTrue(
        scheduler.submit(
            Stage.LOG,
            () -> {
              Thread thread = Thread.currentThread();
              if (thread.isDaemon() && thread.getName().equals("colonnade-log-1")) {
                right.incrementAndGet();
              }
            }));
    await(() -> right.get() == 1);
  }

  @Test
  void serialStagesHaveOneThread() {
    Map<Stage, StageSizes.Size> sizes = new EnumMap<>(sizes(1, 1, 1).sizes());
    sizes.put(Stage.CONTROL, new StageSizes.Size(2, 1));
    assertThrows(IllegalArgumentException.class, () -> new StageSizes(sizes, 1));
  }

  @Test
  void aTaskThatRunsIsReportedWithItsStackAndMovesWithItsFileOperations(@TempDir Path directory)
      throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    assertEquals(Map.of(), report());
    WritableFile file = OsFileSystem.open(directory).create("a");
    assertTrue(scheduler.submit(Stage.FLUSH, () -> block(started, written)));
    assertTrue(scheduler.submit(Stage.LOG, () -> writeAndBlock(file, written, release)));
    started.await();
    written.await();
    await(() -> report().size() == 1);
    List<String> atWork = report("stage log");
    assertTrue(atWork.get(1).contains("StageSchedulerTest.writeAndBlock"), atWork.get(1));
    assertEquals(atWork.get(0), report("stage log").get(0));
    await(() -> figures(Stage.LOG).still().compareTo(Duration.ofMillis(2)) > 0);
    assertEquals(Duration.ZERO, figures(Stage.READ).still());
    // Begun, and a write and a sync.
    assertEquals("3", atWork.get(0));
    release.countDown();
    await(() -> report().isEmpty());
    assertEquals(Duration.ZERO, figures(Stage.LOG).still());
    file.close();
  }

  private static void writeAndBlock(
      WritableFile file, CountDownLatch written, CountDownLatch release) {
    try {
      file.write(ByteBuffer.wrap(new byte[] {1}));
      file.sync();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    block(written, release);
  }

  private List<String> report(String part) {
    return report().getOrDefault(part, List.of("", ""));
  }

  /** Steps and stack of running work, by part. */
  private Map<String, List<String>> report() {
    Map<String, List<String>> atWork = new TreeMap<>();
    scheduler.report(
        new Watched.Observer() {
          @Override
          public void atWork(String part, String item, long steps, Supplier<String> where) {
            atWork.put(part, List.of(Long.toString(steps), where.get()));
          }

          @Override
          public void inTurns(String part, String item, long steps, Supplier<String> where) {
            throw new AssertionError("a task goes on without a break");
          }
        });
    return atWork;
  }

  private StageFigures figures(Stage stage) {
    return figures(scheduler, stage);
  }

  private static void block(CountDownLatch started, CountDownLatch release) {
    started.countDown();
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static StageSizes sizes(int threads, int queuePlaces, int maxTimers) {
    Map<Stage, StageSizes.Size> sizes = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      sizes.put(stage, new StageSizes.Size(threads, queuePlaces));
    }
    return new StageSizes(sizes, maxTimers);
  }
}
