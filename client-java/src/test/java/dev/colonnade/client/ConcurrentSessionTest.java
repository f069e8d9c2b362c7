package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads on one session, each of which must get its own answers. */
@Timeout(60)
final class ConcurrentSessionTest {

  private static final int THREADS = 32;
  private static final int CALLS = 100;

  @Test
  void eachAnswerBelongsToItsCaller() throws InterruptedException {
    long seed = System.nanoTime();
    try (FakeSessions node = new FakeSessions(ClientOptions.defaults())) {
      Shuffling answers = new Shuffling(node.awaitSession(), seed);
      answers.start();
      AtomicInteger right = new AtomicInteger();
      Queue<String> wrong = new ConcurrentLinkedQueue<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        String name = "caller" + t + "-";
        Thread thread = new Thread(() -> call(node.family(), name, right, wrong));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      answers.interrupt();
      answers.join();
      assertEquals(List.of(), List.copyOf(wrong), "seed " + seed);
      assertEquals(THREADS * CALLS, right.get(), "seed " + seed);
      assertEquals(0, node.unaryCalls.get());
      assertEquals(true, answers.mostAtATime > 1, "calls never overlapped");
      assertEquals(true, answers.mostAtATime <= FakeSessions.LIMITS.getMaxCalls());
    }
  }

  /** Half of the calls block, and the others are futures. */
  private static void call(
      ColumnFamily<String, String, String> family,
      String name,
      AtomicInteger right,
      Queue<String> wrong) {
    for (int i = 0; i < CALLS; i += 2) {
      String asynchronous = name + i;
      String blocking = name + (i + 1);
      try {
        CompletableFuture<Optional<String>> future = family.async().get(asynchronous, asynchronous);
        check(blocking, family.get(blocking, blocking), right, wrong);
        check(asynchronous, future.join(), right, wrong);
      } catch (RuntimeException e) {
        wrong.add(name + i + " failed: " + e);
      }
    }
  }

  private static void check(
      String key, Optional<String> value, AtomicInteger right, Queue<String> wrong) {
    if (value.equals(Optional.of(key))) {
      right.incrementAndGet();
    } else {
      wrong.add(key + " got " + value);
    }
  }

  /** Answers calls in any order, whole or in pieces, while others wait. */
  private static final class Shuffling extends Thread {

    private final FakeSessions.Stream stream;
    private final Random random;
    private final List<SessionCall> held = new ArrayList<>();
    private int mostAtATime;

    Shuffling(FakeSessions.Stream stream, long seed) {
      this.stream = stream;
      this.random = new Random(seed);
    }

    @Override
    public void run() {
      try {
        while (true) {
          if (held.isEmpty()) {
            held.add(stream.calls.take());
          }
          stream.calls.drainTo(held);
          mostAtATime = Math.max(mostAtATime, held.size());
          Collections.shuffle(held, random);
          List<SessionCall> some = held.subList(0, 1 + random.nextInt(held.size()));
          answer(some);
          some.clear();
        }
      } catch (InterruptedException e) {
        // The test is over.
        Thread.currentThread().interrupt();
      }
    }

    private void answer(List<SessionCall> calls) {
      SessionResponse.Builder message = SessionResponse.newBuilder();
      List<SessionAnswer> later = new ArrayList<>();
      for (SessionCall call : calls) {
        if (random.nextInt(4) > 0) {
          message.addAnswers(FakeSessions.rowOf(call));
          continue;
        }
        List<SessionAnswer> pieces = FakeSessions.pieces(call.getId(), FakeSessions.slice(call), 9);
        message.addAnswers(pieces.get(0));
        later.addAll(pieces.subList(1, pieces.size()));
      }
      stream.send(message);
      later.forEach(stream::answer);
    }
  }
}
