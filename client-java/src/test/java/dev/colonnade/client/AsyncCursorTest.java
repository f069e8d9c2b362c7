package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AsyncCursorTest {

  private final FakeStore store = new FakeStore(ClientOptions.defaults(), false);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void partsComeOneByOneAndThenNone() {
    store.onStream =
        (request, answer) -> {
          answer.onNext(FakeStore.chunk(1, 2));
          answer.onNext(FakeStore.chunk());
          answer.onNext(FakeStore.chunk(3));
          answer.onCompleted();
        };
    AsyncCursor<Column<Long, String>> cursor = cursor(CallOptions.defaults());
    assertTrue(store.streams.isEmpty());
    assertEquals(List.of(1L, 2L), FakeStore.names(cursor.next().join()));
    assertEquals(List.of(3L), FakeStore.names(cursor.next().join()));
    assertEquals(List.of(), cursor.next().join());
    assertEquals(List.of(), cursor.next().join());
    cursor.close();
  }

  @Test
  void onlyOnePartIsAwaitedAtATime() throws InterruptedException {
    CountDownLatch arrived = new CountDownLatch(1);
    store.onStream = (request, answer) -> arrived.countDown();
    try (AsyncCursor<Column<Long, String>> cursor = cursor(CallOptions.defaults())) {
      CompletableFuture<List<Column<Long, String>>> first = cursor.next();
      assertTrue(arrived.await(10, TimeUnit.SECONDS));
      assertThrows(IllegalStateException.class, cursor::next);
      first.cancel(false);
      assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
      assertEquals(List.of(), cursor.next().join());
    }
  }

  @Test
  void manyPartsAreReadWithoutAGrowingStack() {
    int parts = 20_000;
    store.onStream =
        (request, answer) -> {
          LongStream.range(0, parts).forEach(i -> answer.onNext(FakeStore.chunk(i)));
          answer.onCompleted();
        };
    List<Long> names = new ArrayList<>();
    cursor(CallOptions.defaults()).forEach(column -> names.add(column.name())).join();
    assertEquals(LongStream.range(0, parts).boxed().toList(), names);
  }

  @Test
  void whatTheConsumerThrowsEndsTheReading() throws InterruptedException {
    store.onStream = (request, answer) -> answer.onNext(FakeStore.chunk(1));
    CompletableFuture<?> all =
        cursor(CallOptions.defaults())
            .forEach(
                column -> {
                  throw new IllegalStateException("no more");
                });
    assertInstanceOf(
        IllegalStateException.class, assertThrows(CompletionException.class, all::join).getCause());
    assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
  }

  @Test
  void aBrokenStreamGoesOnBehindItsLastPart() {
    store.onStream =
        (request, answer) -> {
          if (request.getResumeToken().isEmpty()) {
            answer.onNext(FakeStore.chunk(1));
            answer.onError(Status.UNAVAILABLE.asException());
          } else {
            answer.onNext(FakeStore.chunk(2));
            answer.onCompleted();
          }
        };
    List<Long> names = new ArrayList<>();
    cursor(CallOptions.defaults()).forEach(column -> names.add(column.name())).join();
    assertEquals(List.of(1L, 2L), names);
    assertEquals(
        List.of("", "1"), store.streams.stream().map(StreamSliceRequest::getResumeToken).toList());
  }

  @Test
  void aSilentStreamTimesOutAndIsEnded() throws InterruptedException {
    store.onStream = (request, answer) -> {};
    try (AsyncCursor<Column<Long, String>> cursor =
        cursor(CallOptions.defaults().withDeadline(Duration.ofSeconds(1)))) {
      CompletableFuture<?> part = cursor.next();
      assertInstanceOf(
          TimedOutException.class, assertThrows(CompletionException.class, part::join).getCause());
      assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
    }
  }

  private AsyncCursor<Column<Long, String>> cursor(CallOptions options) {
    return store.family().with(options).async().stream("k", Slice.all());
  }
}
