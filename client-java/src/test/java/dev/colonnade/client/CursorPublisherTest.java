package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads for libraries of reactive streams. */
@Timeout(30)
final class CursorPublisherTest {

  private static final int PARTS = 1_000;

  private final FakeStore store = new FakeStore(ClientOptions.defaults(), false);
  private final Subscriber subscriber = new Subscriber();

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aSubscriberGetsWhatItRequestsAndTheEndWithoutARequest() throws InterruptedException {
    answer(FakeStore.chunk(1, 2), FakeStore.chunk(), FakeStore.chunk(3));
    publisher().subscribe(subscriber);
    assertTrue(store.streams.isEmpty(), "before a request there is no call");
    subscriber.request(1);
    assertEquals(1L, subscriber.take());
    assertTrue(subscriber.got.isEmpty());
    subscriber.request(2);
    assertEquals(2L, subscriber.take());
    assertEquals(3L, subscriber.take());
    assertTrue(subscriber.ended.await(10, TimeUnit.SECONDS));
    assertNull(subscriber.failure);
    assertEquals(1, store.streams.size());
  }

  @Test
  void eachSubscriberHasAReadOfItsOwn() throws InterruptedException {
    answer(FakeStore.chunk(1));
    Flow.Publisher<Column<Long, String>> publisher = publisher();
    Subscriber other = new Subscriber();
    publisher.subscribe(subscriber);
    publisher.subscribe(other);
    subscriber.request(Long.MAX_VALUE);
    other.request(5);
    other.request(Long.MAX_VALUE);
    assertEquals(1L, subscriber.take());
    assertEquals(1L, other.take());
    assertTrue(subscriber.ended.await(10, TimeUnit.SECONDS));
    assertTrue(other.ended.await(10, TimeUnit.SECONDS));
    assertEquals(2, store.streams.size());
  }

  @Test
  void aSlowSubscriberMakesTheNodeWait() throws InterruptedException {
    answerMany();
    publisher().subscribe(subscriber);
    for (long i = 0; i < 10; i++) {
      subscriber.request(1);
      assertEquals(i, subscriber.take());
    }
    // What it has had, a part that waits for it, and one that is fetched ahead.
    assertTrue(
        store.messagesAskedFor.get() <= 13, () -> store.messagesAskedFor + " messages asked for");
  }

  @Test
  void aLongAnswerNeedsNoDeepStack() throws InterruptedException {
    answerMany();
    publisher().subscribe(subscriber);
    subscriber.request(Long.MAX_VALUE);
    assertTrue(subscriber.ended.await(20, TimeUnit.SECONDS));
    assertEquals(LongStream.range(0, PARTS).boxed().toList(), List.copyOf(subscriber.got));
  }

  @Test
  void aFailureEndsTheSubscription() throws InterruptedException {
    store.onStream =
        (request, answer) -> {
          answer.onNext(FakeStore.chunk(1));
          answer.onError(Status.INVALID_ARGUMENT.asException());
        };
    publisher().subscribe(subscriber);
    subscriber.request(9);
    assertTrue(subscriber.ended.await(10, TimeUnit.SECONDS));
    assertInstanceOf(InvalidRequestException.class, subscriber.failure);
    assertEquals(List.of(1L), List.copyOf(subscriber.got));
  }

  @Test
  void aRequestOfNothingIsAnError() throws InterruptedException {
    publisher().subscribe(subscriber);
    subscriber.request(0);
    assertTrue(subscriber.ended.await(10, TimeUnit.SECONDS));
    assertInstanceOf(IllegalArgumentException.class, subscriber.failure);
    assertTrue(store.streams.isEmpty());
  }

  @Test
  void cancellingEndsTheCall() throws InterruptedException {
    store.onStream = (request, answer) -> answer.onNext(FakeStore.chunk(1, 2, 3));
    publisher().subscribe(subscriber);
    subscriber.request(1);
    assertEquals(1L, subscriber.take());
    subscriber.cancel();
    assertTrue(store.cancelled.await(10, TimeUnit.SECONDS));
    subscriber.request(2);
    assertTrue(subscriber.got.isEmpty());
  }

  private Flow.Publisher<Column<Long, String>> publisher() {
    return store.family().async().publish("k", Slice.all());
  }

  private void answer(dev.colonnade.v1.StreamSliceResponse... parts) {
    store.onStream =
        (request, answer) -> {
          for (dev.colonnade.v1.StreamSliceResponse part : parts) {
            answer.onNext(part);
          }
          answer.onCompleted();
        };
  }

  private void answerMany() {
    store.onStream =
        (request, answer) -> {
          for (long i = 0; i < PARTS; i++) {
            answer.onNext(FakeStore.chunk(i));
          }
          answer.onCompleted();
        };
  }

  private static final class Subscriber implements Flow.Subscriber<Column<Long, String>> {

    final BlockingQueue<Long> got = new LinkedBlockingQueue<>();
    final CountDownLatch ended = new CountDownLatch(1);
    volatile @Nullable Throwable failure;
    private volatile Flow.@Nullable Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription begun) {
      subscription = begun;
    }

    @Override
    public void onNext(Column<Long, String> column) {
      got.add(column.name());
    }

    @Override
    public void onError(Throwable thrown) {
      failure = thrown;
      ended.countDown();
    }

    @Override
    public void onComplete() {
      ended.countDown();
    }

    void request(long count) {
      begun().request(count);
    }

    void cancel() {
      begun().cancel();
    }

    private Flow.Subscription begun() {
      Flow.Subscription current = subscription;
      if (current == null) {
        throw new AssertionError("there is no subscription");
      }
      return current;
    }

    long take() throws InterruptedException {
      Long name = got.poll(10, TimeUnit.SECONDS);
      if (name == null) {
        throw new AssertionError("nothing came; " + failure);
      }
      return name;
    }
  }
}
