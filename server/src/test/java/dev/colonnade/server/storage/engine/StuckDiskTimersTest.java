package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.node.platform.StageSizes;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.Deadlines;
import dev.colonnade.server.service.consistency.SpeculativeRetry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every stage that may wait for the disk waits for it, in all of its threads, and its queue is
 * full. Timers and the tasks of the ring run nevertheless.
 */
final class StuckDiskTimersTest {

  private static final Peer SELF = new Peer("a", new PeerAddress("10.0.0.1", 7000));
  private static final Peer SILENT = new Peer("b", new PeerAddress("10.0.0.2", 7000));

  private final Clock clock = new SystemClock();
  private final StageScheduler scheduler = new StageScheduler(smallStages());
  private final CountDownLatch diskAnswers = new CountDownLatch(1);

  private static StageSizes smallStages() {
    Map<Stage, StageSizes.Size> sizes = new EnumMap<>(Stage.class);
    for (Stage stage : Stage.values()) {
      sizes.put(stage, new StageSizes.Size(1, 10));
    }
    return new StageSizes(sizes, 100);
  }

  @BeforeEach
  void everyDiskOperationHangs() {
    for (Stage stage : Stage.values()) {
      if (stage.mayBlock()) {
        while (scheduler.submit(stage, this::waitForTheDisk)) {
          // One more, until its queue is full.
        }
      }
    }
  }

  private void waitForTheDisk() {
    try {
      diskAnswers.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void theDiskAnswers() {
    diskAnswers.countDown();
    scheduler.abandon();
  }

  private long in(Duration delay) {
    return clock.monotonicNanos() + delay.toNanos();
  }

  private static <T> @Nullable Throwable failure(CompletableFuture<T> answer) {
    return assertThrows(ExecutionException.class, () -> answer.get(30, TimeUnit.SECONDS))
        .getCause();
  }

  @Test
  void aCallerHearsByItsDeadline() {
    CompletableFuture<String> answer =
        new Deadlines(clock, scheduler, Duration.ofSeconds(10))
            .limit(new CompletableFuture<>(), Consistency.ONE, in(Duration.ofMillis(20)));
    assertInstanceOf(CoordinationException.ReplicaTimeout.class, failure(answer));
  }

  @Test
  void aLateReplicaIsNoticed() throws InterruptedException {
    CountDownLatch noticed = new CountDownLatch(1);
    new SpeculativeRetry(clock, scheduler, Duration.ofMillis(5))
        .watch(in(Duration.ofMillis(10)), () -> false, noticed::countDown);
    assertTrue(noticed.await(30, TimeUnit.SECONDS));
  }

  @Test
  void aMessageWithoutAnAnswerTimesOut() {
    Messenger messenger = new Messenger(SELF, new Silence(), clock, scheduler);
    messenger.start();
    CompletableFuture<byte[]> answer =
        messenger.request(SILENT, Verb.READ_ROW, new byte[0], in(Duration.ofMillis(20)));
    PeerFailure failure = assertInstanceOf(PeerFailure.class, failure(answer));
    assertEquals(PeerFailure.Code.TIMED_OUT, failure.code());
  }

  @Test
  void theRingChanges() throws InterruptedException, TimeoutException, ExecutionException {
    for (Stage stage : new Stage[] {Stage.GOSSIP, Stage.CONTROL}) {
      CompletableFuture<Stage> ran = new CompletableFuture<>();
      assertTrue(scheduler.submit(stage, () -> ran.complete(scheduler.current())));
      assertEquals(stage, ran.get(30, TimeUnit.SECONDS));
      assertFalse(stage.mayBlock());
    }
  }

  /** Accepts every message, and delivers none. */
  private static final class Silence implements Transport {
    @Override
    public boolean send(PeerAddress to, Frame frame) {
      return true;
    }

    @Override
    public void receive(FrameReceiver receiver) {}

    @Override
    public void forget(PeerAddress peer) {}
  }
}
