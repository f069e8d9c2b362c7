package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BulkWriterTest {

  private final FakeStore store = new FakeStore(ClientOptions.defaults(), false);
  private final Keyspace keyspace = store.client.keyspace("K");

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void batchesGoOverOneStreamAndEachHasItsOutcome() {
    store.onBulk =
        (request, answer) ->
            answer.onNext(
                FakeStore.outcome(
                    request.getSequence(),
                    request.getSequence() == 2 ? Status.Code.INVALID_ARGUMENT : Status.Code.OK));
    BulkWriter writer = keyspace.bulkWriter();
    List<CompletableFuture<@Nullable Void>> outcomes = new ArrayList<>();
    for (long i = 1; i <= 3; i++) {
      outcomes.add(writer.insert(store.family(), "k", i, "v"));
    }
    InvalidRequestException thrown = assertThrows(InvalidRequestException.class, writer::close);
    assertEquals("what happened", thrown.getMessage());
    assertEquals("REASON", thrown.reason());
    assertEquals(Applied.NO, thrown.applied());
    assertEquals(2, writer.written());
    assertEquals(1, writer.failed());
    outcomes.get(0).join();
    outcomes.get(2).join();
    assertInstanceOf(
        InvalidRequestException.class,
        assertThrows(CompletionException.class, outcomes.get(1)::join).getCause());
    assertEquals(
        List.of(1L, 2L, 3L), store.bulk.stream().map(StreamMutateRequest::getSequence).toList());
    writer.close();
    assertThrows(IllegalStateException.class, () -> writer.insert(store.family(), "k", 1L, "v"));
  }

  @Test
  void aWriterThatIsNotUsedMakesNoCall() {
    keyspace.bulkWriter().close();
    assertTrue(store.bulk.isEmpty());
  }

  @Test
  void aSlowNodeMakesTheWriterWait() throws InterruptedException {
    Queue<Long> unanswered = new ConcurrentLinkedQueue<>();
    CountDownLatch full = new CountDownLatch(BatchStream.MOST_OUTSTANDING);
    Queue<StreamObserver<StreamMutateResponse>> answers = new ConcurrentLinkedQueue<>();
    store.onBulk =
        (request, answer) -> {
          unanswered.add(request.getSequence());
          answers.add(answer);
          full.countDown();
        };
    BulkWriter writer = keyspace.bulkWriter();
    for (long i = 0; i < BatchStream.MOST_OUTSTANDING; i++) {
      var unused = writer.insert(store.family(), "k", i, "v");
    }
    assertTrue(full.await(10, TimeUnit.SECONDS));
    CompletableFuture<Void> oneMore =
        CompletableFuture.runAsync(() -> writer.insert(store.family(), "k", 99L, "v").join());
    assertEquals(BatchStream.MOST_OUTSTANDING, unanswered.size());
    assertFalse(oneMore.isDone());
    store.onBulk =
        (request, answer) ->
            answer.onNext(FakeStore.outcome(request.getSequence(), Status.Code.OK));
    unanswered.forEach(
        sequence -> answers.element().onNext(FakeStore.outcome(sequence, Status.Code.OK)));
    oneMore.join();
    writer.close();
    assertEquals(BatchStream.MOST_OUTSTANDING + 1, writer.written());
  }

  @Test
  void aBrokenStreamFailsWhatHasNoAnswerAndEndsTheWriter() throws InterruptedException {
    store.onBulk = (request, answer) -> answer.onError(Status.UNAVAILABLE.asException());
    BulkWriter writer = keyspace.bulkWriter();
    CompletableFuture<@Nullable Void> lost = writer.insert(store.family(), "k", 1L, "v");
    UnavailableException cause =
        assertInstanceOf(
            UnavailableException.class,
            assertThrows(CompletionException.class, lost::join).getCause());
    assertEquals(Applied.UNKNOWN, cause.applied());
    UnavailableException after =
        assertThrows(UnavailableException.class, () -> writer.insert(store.family(), "k", 2L, "v"));
    assertEquals(Applied.NO, after.applied());
    assertThrows(UnavailableException.class, writer::close);
    assertEquals(1, writer.failed());
  }

  @Test
  void aBrokenStreamContinuesOnAnotherWithWhatHasNoAnswer() {
    store.onBulk =
        (request, answer) -> {
          if (request.getSequence() == 1) {
            answer.onNext(FakeStore.outcome(1, Status.Code.OK));
          } else if (request.getSequence() == 4) {
            store.onBulk =
                (again, next) ->
                    next.onNext(FakeStore.outcome(again.getSequence(), Status.Code.OK));
            answer.onError(Status.UNAVAILABLE.asException());
          }
        };
    BulkWriter writer = keyspace.bulkWriter();
    List<CompletableFuture<@Nullable Void>> outcomes = new ArrayList<>();
    for (long i = 1; i <= 4; i++) {
      outcomes.add(writer.insert(store.family(), "k", i, "v"));
    }
    outcomes.forEach(CompletableFuture::join);
    writer.close();
    assertEquals(4, writer.written());
    List<StreamMutateRequest> sent = new ArrayList<>(store.bulk);
    assertEquals(7, sent.size(), "the three without an answer were sent twice");
    for (int i = 0; i < 3; i++) {
      assertEquals(sent.get(1 + i).getBatch(), sent.get(4 + i).getBatch());
      assertEquals(1 + i, sent.get(4 + i).getSequence());
    }
  }

  @Test
  void aSilentNodeTimesOut() throws InterruptedException {
    // The connection is made before the time counts: on a busy machine that may take long.
    try (BulkWriter first = keyspace.bulkWriter()) {
      first.insert(store.family(), "k", 1L, "v").join();
    }
    CountDownLatch arrived = new CountDownLatch(1);
    store.onBulk = (request, answer) -> arrived.countDown();
    store.endsBulk = false;
    BulkWriter writer =
        keyspace.with(CallOptions.defaults().withDeadline(Duration.ofSeconds(1))).bulkWriter();
    CompletableFuture<@Nullable Void> lost = writer.insert(store.family(), "k", 1L, "v");
    assertTrue(arrived.await(10, TimeUnit.SECONDS));
    assertThrows(TimedOutException.class, writer::close);
    assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
    TimedOutException cause =
        assertInstanceOf(
            TimedOutException.class,
            assertThrows(CompletionException.class, lost::join).getCause());
    assertEquals(Applied.UNKNOWN, cause.applied());
  }

  @Test
  void anInterruptedThreadStopsWaitingForTheRest() throws InterruptedException {
    CountDownLatch arrived = new CountDownLatch(1);
    store.onBulk = (request, answer) -> arrived.countDown();
    store.endsBulk = false;
    BulkWriter writer = keyspace.bulkWriter();
    CompletableFuture<@Nullable Void> lost = writer.insert(store.family(), "k", 1L, "v");
    assertTrue(arrived.await(10, TimeUnit.SECONDS));
    Thread.currentThread().interrupt();
    assertEquals("CANCELLED", assertThrows(ColonnadeException.class, writer::close).reason());
    assertTrue(Thread.interrupted());
    assertThrows(CompletionException.class, lost::join);
  }

  @Test
  void batchesOfOtherKeyspacesAreRefused() {
    try (BulkWriter writer = keyspace.bulkWriter()) {
      Batch other = store.client.keyspace("Other").batch();
      assertThrows(IllegalArgumentException.class, () -> writer.write(other));
    }
  }
}
