package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests between two nodes over real sockets. */
final class GrpcMessengerTest {
  private static final long NEVER = Long.MAX_VALUE;
  private static final long ON_TIME_NANOS = Duration.ofMillis(100).toNanos();

  /** Data requests at a time. */
  private static final int IN_FLIGHT = 4_000;

  private final GrpcNodes nodes = new GrpcNodes();
  private final StageScheduler scheduler = new StageScheduler(StageSizes.forProcessors(2));
  private final SystemClock clock = new SystemClock();

  private Messenger messenger(int node) {
    return new Messenger(nodes.peer(node), nodes.transport(node), clock, scheduler);
  }

  @AfterEach
  void stop() {
    nodes.close();
    scheduler.abandon();
  }

  @Test
  void requestsAreAnswered() {
    Messenger asking = messenger(0);
    asking.start();
    Messenger answering = messenger(1);
    answering.handle(Verb.MUTATION, request -> CompletableFuture.completedFuture(request.body()));
    answering.start();
    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      byte[] body = {(byte) i, (byte) (i >>> 8)};
      answers.add(asking.request(nodes.peer(1), Verb.MUTATION, body, NEVER));
    }
    for (int i = 0; i < 1_000; i++) {
      assertArrayEquals(new byte[] {(byte) i, (byte) (i >>> 8)}, answers.get(i).join());
    }
  }

  @Test
  void anAddressWithoutAListenerFailsWellBeforeTheDeadline() {
    Messenger asking = messenger(0);
    asking.start();
    var peer = nodes.peer(1);
    nodes.stop(1);
    long deadline = clock.monotonicNanos() + Duration.ofSeconds(60).toNanos();
    GrpcNodes.await(
        () -> {
          CompletableFuture<byte[]> answer =
              asking.request(peer, Verb.MUTATION, new byte[1], deadline);
          return answer.isCompletedExceptionally();
        });
    CompletableFuture<byte[]> soon =
        asking.request(peer, Verb.MUTATION, new byte[1], clock.monotonicNanos() + ON_TIME_NANOS);
    Throwable thrown = assertThrows(CompletionException.class, soon::join).getCause();
    PeerFailure.Code code = assertInstanceOf(PeerFailure.class, thrown).code();
    assertTrue(
        code == PeerFailure.Code.NOT_SENT || code == PeerFailure.Code.TIMED_OUT, code.toString());
  }

  @Test
  void whatNeverLeftIsGivenBackAtOnce() {
    Messenger asking = messenger(0);
    asking.start();
    var peer = nodes.peer(1);
    nodes.stop(1);
    CompletableFuture<byte[]> answer =
        asking.request(peer, Verb.MUTATION, new byte[1], NEVER).orTimeout(1, TimeUnit.MINUTES);
    Throwable thrown = assertThrows(CompletionException.class, answer::join).getCause();
    assertEquals(PeerFailure.Code.NOT_SENT, assertInstanceOf(PeerFailure.class, thrown).code());
    assertEquals(0, asking.pendingRequests());
  }

  @Test
  void whatIsUnderWayToANodeThatDiesIsGivenBackSoon() {
    Messenger asking = messenger(0);
    asking.start();
    Messenger answering = messenger(1);
    AtomicLong asked = new AtomicLong();
    for (Verb verb : List.of(Verb.READ_ROW, Verb.MUTATION)) {
      answering.handle(
          verb,
          request -> {
            asked.incrementAndGet();
            return new CompletableFuture<>();
          });
    }
    answering.start();
    var peer = nodes.peer(1);
    CompletableFuture<byte[]> read = asking.request(peer, Verb.READ_ROW, new byte[1], NEVER);
    CompletableFuture<byte[]> write = asking.request(peer, Verb.MUTATION, new byte[1], NEVER);
    GrpcNodes.await(() -> asked.get() == 2);
    nodes.stop(1);
    for (CompletableFuture<byte[]> lost : List.of(read, write)) {
      CompletableFuture<byte[]> answer = lost.orTimeout(1, TimeUnit.MINUTES);
      Throwable thrown = assertThrows(CompletionException.class, answer::join).getCause();
      assertEquals(PeerFailure.Code.LOST, assertInstanceOf(PeerFailure.class, thrown).code());
    }
    assertEquals(0, asking.pendingRequests());
  }

  @Test
  void cancellingReachesTheHandlerSoon() {
    Messenger asking = messenger(0);
    asking.start();
    Messenger answering = messenger(1);
    AtomicLong asked = new AtomicLong();
    List<Long> cancelled = Collections.synchronizedList(new ArrayList<>());
    answering.handle(
        Verb.READ_RANGE,
        request -> {
          CompletableFuture<byte[]> answer = new CompletableFuture<>();
          var unused =
              answer.whenComplete(
                  (body, thrown) -> {
                    assertTrue(request.isCancelled());
                    cancelled.add(System.nanoTime());
                  });
          asked.incrementAndGet();
          return answer;
        });
    answering.start();
    long[] took = new long[21];
    for (int i = 0; i < took.length; i++) {
      int round = i;
      CompletableFuture<byte[]> answer =
          asking.request(nodes.peer(1), Verb.READ_RANGE, new byte[1], NEVER);
      GrpcNodes.await(() -> asked.get() == round + 1);
      long begin = System.nanoTime();
      answer.cancel(false);
      GrpcNodes.await(() -> cancelled.size() == round + 1);
      took[i] = cancelled.get(i) - begin;
    }
    Arrays.sort(took);
    assertTrue(took[took.length / 2] < ON_TIME_NANOS, Arrays.toString(took));
    assertEquals(0, answering.runningRequests());
  }

  /**
   * Lateness is counted in data answers, because the machine that runs this may be busy: a
   * heartbeat behind the data would come after about as many answers as there are requests in
   * flight.
   */
  @Test
  void saturatedDataLeavesGossipOnTime() {
    Messenger asking = messenger(0);
    asking.start();
    Messenger answering = messenger(1);
    answering.handle(
        Verb.MUTATION,
        request -> {
          spin(20_000);
          return CompletableFuture.completedFuture(request.body());
        });
    AtomicLong answered = new AtomicLong();
    List<Long> late = Collections.synchronizedList(new ArrayList<>());
    answering.handle(
        Verb.GOSSIP_SYN,
        request -> {
          late.add(answered.get() - ByteBuffer.wrap(request.body()).getLong());
          return CompletableFuture.completedFuture(new byte[0]);
        });
    answering.start();
    AtomicBoolean enough = new AtomicBoolean();
    for (int i = 0; i < IN_FLIGHT; i++) {
      keepAsking(asking, enough, answered);
    }
    try {
      GrpcNodes.await(() -> answered.get() > 1_000);
      long p99 = Long.MAX_VALUE;
      for (int round = 0; round < 3 && p99 >= IN_FLIGHT / 2; round++) {
        p99 = heartbeats(asking, answered, late);
      }
      assertTrue(p99 < IN_FLIGHT / 2, "99 of 100 heartbeats within " + p99 + " answers only");
    } finally {
      enough.set(true);
    }
  }

  private long heartbeats(Messenger asking, AtomicLong answered, List<Long> late) {
    late.clear();
    for (int i = 0; i < 100; i++) {
      byte[] now = ByteBuffer.allocate(8).putLong(answered.get()).array();
      asking.sendOneWay(nodes.peer(1), Verb.GOSSIP_SYN, now);
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
    }
    GrpcNodes.await(() -> late.size() >= 100);
    List<Long> sorted = new ArrayList<>(late);
    Collections.sort(sorted);
    return sorted.get(sorted.size() * 99 / 100);
  }

  private void keepAsking(Messenger asking, AtomicBoolean enough, AtomicLong answered) {
    if (enough.get()) {
      return;
    }
    var unused =
        asking
            .request(nodes.peer(1), Verb.MUTATION, new byte[1_000], NEVER)
            .whenComplete(
                (body, thrown) -> {
                  if (thrown == null) {
                    answered.incrementAndGet();
                    keepAsking(asking, enough, answered);
                  }
                });
  }

  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
