package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "sessions = {0}")
@ValueSource(booleans = {false, true})
final class CallsTest {

  private final FakeStore store;

  CallsTest(boolean sessions) {
    store = new FakeStore(ClientOptions.defaults(), sessions);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aCursorAsksForNothingBeforeItIsRead() {
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      assertTrue(store.streams.isEmpty());
      assertFalse(cursor.hasNext());
      assertEquals(1, store.streams.size());
    }
  }

  @Test
  void atMostOneChunkIsAskedForAhead() {
    store.onStream =
        (request, answer) -> {
          for (long i = 0; i < 10; i++) {
            answer.onNext(FakeStore.chunk(2 * i, 2 * i + 1));
          }
          answer.onCompleted();
        };
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      for (long i = 0; i < 20; i++) {
        assertEquals(i, cursor.next().name());
        assertTrue(store.messagesAskedFor.get() <= i / 2 + 2, "asked for more than one ahead");
      }
      assertFalse(cursor.hasNext());
      assertFalse(cursor.hasNext());
    }
  }

  @Test
  void closingACursorHalfWayEndsTheCall() throws InterruptedException {
    store.onStream = (request, answer) -> answer.onNext(FakeStore.chunk(1, 2));
    Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all());
    assertEquals(1, cursor.next().name());
    cursor.close();
    assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
    assertEquals(2, cursor.next().name());
    assertFalse(cursor.hasNext());
  }

  @Test
  void aBrokenStreamGoesOnBehindItsLastChunk() {
    store.onStream =
        (request, answer) -> {
          if (request.getResumeToken().isEmpty()) {
            answer.onNext(FakeStore.chunk(1, 2));
            answer.onNext(FakeStore.chunk(3));
            answer.onError(Status.UNAVAILABLE.asException());
          } else if (store.streams.size() == 2) {
            answer.onError(Status.UNAVAILABLE.asException());
          } else {
            answer.onNext(FakeStore.chunk(4));
            answer.onCompleted();
          }
        };
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      assertEquals(List.of(1L, 2L, 3L, 4L), FakeStore.names(cursor));
    }
    assertEquals(
        List.of("", "3", "3"),
        store.streams.stream().map(StreamSliceRequest::getResumeToken).toList());
  }

  @Test
  void aStreamThatStaysBrokenFailsAfterTheAttempts() {
    store.onStream = (request, answer) -> answer.onError(Status.UNAVAILABLE.asException());
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      UnavailableException thrown = assertThrows(UnavailableException.class, cursor::hasNext);
      assertEquals(Applied.NO, thrown.applied());
      assertFalse(cursor.hasNext());
    }
    assertEquals(1 + ClientOptions.defaults().resumeAttempts(), store.streams.size());
  }

  @Test
  void aStreamThatFallsSilentTimesOut() {
    store.onStream = (request, answer) -> answer.onNext(FakeStore.chunk(1));
    CallOptions impatient = CallOptions.defaults().withDeadline(Duration.ofMillis(50));
    try (Cursor<Column<Long, String>> cursor =
        store.family().with(impatient).stream("k", Slice.all())) {
      assertThrows(TimedOutException.class, () -> FakeStore.names(cursor));
      assertFalse(cursor.hasNext());
    }
  }

  @Test
  void pagesAreReadToTheEnd() {
    store.onSlice =
        (request, answer) -> {
          GetSliceResponse.Builder page = GetSliceResponse.newBuilder();
          if (request.getPageToken().isEmpty()) {
            page.addColumns(FakeStore.column(1)).setNextPageToken("next");
          } else {
            page.addColumns(FakeStore.column(2));
          }
          answer.onNext(page.build());
          answer.onCompleted();
        };
    assertEquals(List.of(1L, 2L), FakeStore.names(store.family().slice("k", Slice.all())));
    assertEquals(2, store.slices.size());
  }

  @Test
  void cancellingAFutureEndsItsCall() throws InterruptedException {
    CountDownLatch arrived = new CountDownLatch(1);
    store.onSlice = (request, answer) -> arrived.countDown();
    CompletableFuture<List<Column<Long, String>>> future =
        store.family().async().slice("k", Slice.all());
    assertTrue(arrived.await(10, TimeUnit.SECONDS));
    future.cancel(false);
    assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
  }

  @Test
  void aCallEndsWithItsDeadline() {
    store.onSlice = (request, answer) -> {};
    ColumnFamily<String, Long, String> family =
        store.family().with(CallOptions.defaults().withDeadline(Duration.ofMillis(20)));
    TimedOutException thrown = assertThrows(TimedOutException.class, () -> family.get("k", 1L));
    assertEquals("DEADLINE_EXCEEDED", thrown.reason());
    assertTrue(
        List.of(thrown.getStackTrace()).stream()
            .anyMatch(frame -> frame.getClassName().equals(CallsTest.class.getName())),
        "the stack does not show who called");
  }

  @Test
  void aBatchKeepsItsTimestampsWhenItIsAppliedAgain() {
    ColumnFamily<String, Long, String> family = store.family();
    Batch batch =
        store.client.keyspace("K").batch().remove(family, "k").insert(family, "k", 1L, "v");
    batch.apply();
    batch.apply();
    BatchMutateRequest first = store.batches.remove();
    assertEquals(first, store.batches.remove());
    assertEquals(1, first.getRowsCount());
    long removed = first.getRows(0).getMutations(0).getDeletion().getTimestamp();
    long inserted =
        first.getRows(0).getMutations(1).getColumnOrSuperColumn().getColumn().getTimestamp();
    assertTrue(removed < inserted, "what is written after a removal must survive it");
  }

  @Test
  void aBatchRefusesFamiliesOfOtherKeyspaces() {
    Batch batch = store.client.keyspace("Other").batch();
    assertThrows(IllegalArgumentException.class, () -> batch.insert(store.family(), "k", 1L, "v"));
  }
}
