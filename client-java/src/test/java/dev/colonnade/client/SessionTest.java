package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How calls of a session end, whatever the node does. */
@Timeout(60)
final class SessionTest {

  private static final CallOptions IMPATIENT =
      CallOptions.defaults().withDeadline(Duration.ofSeconds(1));

  private record Ended(String method, Optional<ColonnadeException> failure) {}

  private final BlockingQueue<Ended> heard = new LinkedBlockingQueue<>();
  private volatile boolean listenerBreaks;
  private final FakeSessions node =
      new FakeSessions(
          ClientOptions.defaults()
              .withListener(
                  call -> {
                    heard.add(new Ended(call.method(), call.failure()));
                    if (listenerBreaks) {
                      throw new AssertionError("the listener is broken");
                    }
                  }));

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void callsMadeWhileTheNetworkIsBusyShareAMessageAndOneAloneDoesNotWaitForIt()
      throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    node.networkIsBusy = true;
    CompletableFuture<Void> alone = node.family().async().insert("alone", "c", "v");
    assertEquals(1, takeMessage(stream).getCallsCount());
    List<CompletableFuture<Void>> together = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      together.add(node.family().async().insert("k" + i, "c", "v"));
    }
    assertEquals(0, stream.messages.size());
    node.freeNetwork();
    assertEquals(5, takeMessage(stream).getCallsCount());
    stream.answer(stream.takeCalls(6).stream().map(FakeSessions::written).toList());
    alone.join();
    together.forEach(CompletableFuture::join);
  }

  private static SessionRequest takeMessage(FakeSessions.Stream stream)
      throws InterruptedException {
    SessionRequest message = stream.messages.poll(10, TimeUnit.SECONDS);
    assertNotNull(message, "the client sent nothing");
    return message;
  }

  @Test
  void callsEndAsTheyDidAlsoIfTheListenerBreaks() throws Exception {
    listenerBreaks = true;
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Void> write = node.family().async().insert("k", "c", "v");
    stream.answer(FakeSessions.written(stream.takeCall()));
    assertNull(write.get(10, TimeUnit.SECONDS));
    assertEquals("BatchMutate", heard.take().method());
  }

  @Test
  void answersInAnotherOrderReachTheirCallers() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    List<CompletableFuture<Optional<String>>> reads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      reads.add(node.family().async().get("key" + i, "key" + i));
    }
    List<SessionAnswer> answers =
        new ArrayList<>(stream.takeCalls(16).stream().map(FakeSessions::rowOf).toList());
    Collections.reverse(answers);
    stream.answer(answers.subList(0, 5));
    stream.answer(answers.subList(5, 16));
    for (int i = 0; i < 16; i++) {
      assertEquals(Optional.of("key" + i), reads.get(i).join());
    }
    assertEquals(0, node.unaryCalls.get());
  }

  @Test
  void whatDependsOnAFutureMayBlockUntilOthersAreCompleted() throws Exception {
    FakeSessions.Stream stream = node.awaitSession();
    CountDownLatch all = new CountDownLatch(16);
    List<CompletableFuture<Void>> depending = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      depending.add(
          node.family()
              .async()
              .insert("k", "c", "v")
              .thenRun(
                  () -> {
                    all.countDown();
                    Uninterruptibles.awaitUninterruptibly(all);
                  }));
    }
    stream.answer(stream.takeCalls(16).stream().map(FakeSessions::written).toList());
    for (CompletableFuture<Void> each : depending) {
      each.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void aLongAnswerComesInPiecesBetweenOthers() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> large = node.family().async().get("large", "large");
    CompletableFuture<Optional<String>> small = node.family().async().get("small", "small");
    SessionCall first = stream.takeCall();
    SessionCall second = stream.takeCall();
    List<SessionAnswer> pieces = FakeSessions.pieces(first.getId(), FakeSessions.slice(first), 3);
    assertTrue(pieces.size() > 2, "the answer is not in pieces");
    stream.answer(pieces.get(0), FakeSessions.rowOf(second));
    assertEquals(Optional.of("small"), small.join());
    pieces.subList(1, pieces.size()).forEach(stream::answer);
    assertEquals(Optional.of("large"), large.join());
  }

  @Test
  void whatIsUnansweredWhenTheSessionBreaksIsUnavailableAndWhatIsUnsentIsMadeOtherwise()
      throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "c");
    CompletableFuture<Void> write = node.family().async().insert("k", "c", "v");
    List<CompletableFuture<Long>> counts = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      counts.add(node.family().async().count("k", Slice.all()));
    }
    stream.takeCalls(16);
    stream.end(Status.UNAVAILABLE.withDescription("the wire was cut"));
    assertEquals(Applied.NO, failure(UnavailableException.class, read).applied());
    UnavailableException lost = failure(UnavailableException.class, write);
    assertEquals(Applied.UNKNOWN, lost.applied());
    assertTrue(String.valueOf(lost.getMessage()).contains("the wire was cut"), lost::toString);
    for (CompletableFuture<Long> sent : counts.subList(0, 14)) {
      failure(UnavailableException.class, sent);
    }
    for (CompletableFuture<Long> unsent : counts.subList(14, 20)) {
      assertEquals(-1, unsent.join());
    }
    assertEquals(6, node.unaryCalls.get());
  }

  @Test
  void anUnreadableMessageEndsTheSessionAndNotTheClient() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Long> count = node.family().async().count("k", Slice.all());
    SessionCall call = stream.takeCall();
    stream.answer(FakeSessions.written(call));
    assertEquals("INTERNAL", failure(ColonnadeException.class, count).reason());
    CompletableFuture<Long> next = node.family().async().count("k", Slice.all());
    stream.answer(FakeSessions.rowOf(stream.takeCall()).toBuilder().setId(99).build());
    assertFalse(next.isDone());
    stream.complete();
    failure(UnavailableException.class, next);
    node.awaitNoSession();
    assertEquals(-1, node.family().count("k", Slice.all()));
  }

  @Test
  void errorsCarryWhatThoseOfUnaryCallsCarry() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Void> write = node.family().async().insert("k", "c", "v");
    RetryInfo.Builder retry = RetryInfo.newBuilder();
    retry.getRetryDelayBuilder().setNanos(5_000_000);
    com.google.rpc.Status status =
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
            .setMessage("what happened")
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain("colonnade")
                        .setReason("OVERLOADED")
                        .putMetadata("applied", "no")
                        .build()))
            .addDetails(Any.pack(retry.build()))
            .build();
    stream.answer(
        SessionAnswer.newBuilder()
            .setId(stream.takeCall().getId())
            .setError(status.toByteString())
            .build());
    OverloadedException thrown = failure(OverloadedException.class, write);
    assertEquals("OVERLOADED", thrown.reason());
    assertEquals("what happened", thrown.getMessage());
    assertEquals(Applied.NO, thrown.applied());
    assertEquals(Optional.of(Duration.ofMillis(5)), thrown.retryDelay());
    Ended ended = heard.remove();
    assertEquals("BatchMutate", ended.method());
    assertEquals("OVERLOADED", ended.failure().orElseThrow().reason());
  }

  @Test
  void aBlockingCallEndsWithItsDeadlineAndTellsTheNode() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    TimedOutException thrown =
        assertThrows(
            TimedOutException.class, () -> node.family().with(IMPATIENT).insert("k", "c", "v"));
    assertEquals("DEADLINE_EXCEEDED", thrown.reason());
    assertEquals(Applied.UNKNOWN, thrown.applied());
    assertTrue(
        List.of(thrown.getStackTrace()).stream()
            .anyMatch(frame -> frame.getClassName().equals(SessionTest.class.getName())),
        "the stack does not show who called");
    SessionCall call = stream.takeCall();
    assertTrue(call.getTimeoutMillis() <= 1_000 && call.getTimeoutMillis() > 0, call::toString);
    assertEquals(call.getId(), stream.cancelled.poll(10, TimeUnit.SECONDS));
    stream.answer(FakeSessions.written(call));
    stillWorks(stream);
  }

  @Test
  void aFutureFailsAtItsDeadlineAlsoInTheQueue() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      writes.add(node.family().with(IMPATIENT).async().insert("k", "c", "v"));
    }
    Applied sent = failure(TimedOutException.class, writes.get(0)).applied();
    assertEquals(Applied.UNKNOWN, sent);
    Applied unsent = failure(TimedOutException.class, writes.get(16)).applied();
    assertEquals(Applied.NO, unsent);
    List<SessionCall> calls = stream.takeCalls(16);
    Set<Long> cancelled = new HashSet<>();
    while (cancelled.size() < 16) {
      Long id = stream.cancelled.poll(10, TimeUnit.SECONDS);
      assertNotNull(id, "not every call was cancelled");
      cancelled.add(id);
    }
    stream.answer(calls.stream().map(FakeSessions::written).toList());
    stillWorks(stream);
  }

  @Test
  void cancellingAFutureTellsTheNode() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Optional<String>> read = node.family().async().get("k", "k");
    SessionCall call = stream.takeCall();
    read.cancel(false);
    assertEquals(call.getId(), stream.cancelled.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void anInterruptedCallerStopsWaiting() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                node.family().insert("k", "c", "v");
                outcome.complete(false);
              } catch (ColonnadeException e) {
                outcome.complete(
                    e.reason().equals("CANCELLED") && Thread.currentThread().isInterrupted());
              }
            });
    caller.start();
    SessionCall call = stream.takeCall();
    caller.interrupt();
    assertTrue(outcome.join(), "the caller was not told that it was interrupted");
    assertEquals(call.getId(), stream.cancelled.poll(10, TimeUnit.SECONDS));
    caller.join();
  }

  @Test
  void noMoreCallsAreSentThanTheNodeAllowsAndTheRestComesInOneMessage()
      throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 26; i++) {
      writes.add(node.family().async().insert("k", "c", "v"));
    }
    List<SessionCall> first = stream.takeCalls(16);
    assertNull(stream.calls.poll());
    stream.messages.clear();
    stream.answer(first.stream().map(FakeSessions::written).toList());
    List<SessionCall> rest = stream.takeCalls(10);
    SessionRequest message = stream.messages.remove();
    assertEquals(rest, message.getCallsList());
    stream.answer(rest.stream().map(FakeSessions::written).toList());
    writes.forEach(CompletableFuture::join);
    List<Long> ids = new ArrayList<>();
    first.forEach(call -> ids.add(call.getId()));
    rest.forEach(call -> ids.add(call.getId()));
    assertEquals(ids.stream().sorted().distinct().toList(), ids);
  }

  @Test
  void noMoreBytesAreSentThanTheNodeAllows() throws InterruptedException {
    node.limits = FakeSessions.LIMITS.toBuilder().setMaxBytes(40_000).build();
    FakeSessions.Stream stream = node.awaitSession();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      writes.add(node.family().async().insert("k", "c", "v".repeat(15_000)));
    }
    List<SessionCall> first = stream.takeCalls(2);
    assertNull(stream.calls.poll());
    stream.answer(FakeSessions.written(first.get(1)));
    SessionCall third = stream.takeCall();
    assertNull(stream.calls.poll());
    stream.answer(FakeSessions.written(first.get(0)), FakeSessions.written(third));
    stream.answer(FakeSessions.written(stream.takeCall()));
    writes.forEach(CompletableFuture::join);
  }

  @Test
  void futuresHaveAQueueOfLimitedLength() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    String value = "v".repeat(15_000);
    long fits = 16 + Session.MAX_QUEUED_BYTES / 15_000;
    for (int i = 0; i < fits; i++) {
      writes.add(node.family().async().insert("k", "c", value));
    }
    OverloadedException refused = failure(OverloadedException.class, writes.get(writes.size() - 1));
    assertEquals(Applied.NO, refused.applied());
    assertEquals("RESOURCE_EXHAUSTED", refused.reason());
    node.onCall = (to, call) -> to.answer(FakeSessions.written(call));
    stream.answer(stream.takeCalls(16).stream().map(FakeSessions::written).toList());
    long done = 0;
    for (CompletableFuture<Void> write : writes) {
      try {
        write.get();
        done++;
      } catch (ExecutionException e) {
        assertInstanceOf(OverloadedException.class, e.getCause());
      }
    }
    assertTrue(done > fits * 9 / 10, "only " + done + " of " + fits + " were made");
    node.family().async().insert("k", "c", value).join();
  }

  @Test
  void largeCallsAndLaterPagesAreUnary() throws InterruptedException {
    FakeSessions.Stream stream = node.awaitSession();
    node.family().insert("k", "c", "v".repeat(SessionMethod.MAX_REQUEST_BYTES));
    assertEquals(1, node.unaryCalls.get());
    CompletableFuture<List<Column<String, String>>> slice =
        node.family().async().slice("k", Slice.all());
    SessionCall call = stream.takeCall();
    GetSliceResponse page =
        FakeSessions.slice(call).toBuilder().setNextPageToken("further").build();
    stream.answer(SessionAnswer.newBuilder().setId(call.getId()).setGetSlice(page).build());
    assertEquals(1, slice.join().size());
    assertEquals(2, node.unaryCalls.get());
  }

  private void stillWorks(FakeSessions.Stream stream) throws InterruptedException {
    CompletableFuture<Optional<String>> read = node.family().async().get("still", "still");
    SessionCall call = stream.takeCall();
    stream.answer(FakeSessions.rowOf(call));
    assertEquals(Optional.of("still"), read.join());
  }

  private static <E extends ColonnadeException> E failure(
      Class<E> type, CompletableFuture<?> future) {
    ExecutionException thrown = assertThrows(ExecutionException.class, future::get);
    return assertInstanceOf(type, thrown.getCause());
  }
}
