package dev.colonnade.client;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A read as a publisher: each subscriber has a call of its own, which begins with its first
 * request. A part is asked for when the one before it is delivered, so a subscriber that is slow
 * makes the node wait, and has two parts in memory at most. Thread-safe.
 */
final class CursorPublisher<T> implements Flow.Publisher<T> {

  private final Supplier<AsyncCursor<T>> reads;

  CursorPublisher(Supplier<AsyncCursor<T>> reads) {
    this.reads = reads;
  }

  @Override
  public void subscribe(Flow.Subscriber<? super T> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    subscriber.onSubscribe(new Subscription<>(subscriber, reads.get()));
  }

  /**
   * One subscriber. A counter of turns makes the deliveries come one after another, on the thread
   * that first had something to do; others leave it to that one.
   */
  private static final class Subscription<T> implements Flow.Subscription {

    private final Flow.Subscriber<? super T> subscriber;
    private final AsyncCursor<T> cursor;
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicInteger turns = new AtomicInteger();

    private volatile boolean cancelled;
    private volatile boolean begun;
    private volatile boolean badRequest;
    private volatile @Nullable Throwable failure;
    private volatile boolean atEnd;

    /** Whether a part is on its way; set in a turn, cleared before the next one. */
    private volatile boolean asked;

    /** Filled when no turn runs that could look at it: while a part is on its way. */
    private final Queue<T> arrived = new ArrayDeque<>();

    Subscription(Flow.Subscriber<? super T> subscriber, AsyncCursor<T> cursor) {
      this.subscriber = subscriber;
      this.cursor = cursor;
    }

    @Override
    public void request(long count) {
      if (count <= 0) {
        badRequest = true;
        cursor.close();
      } else {
        begun = true;
        // The most that there is means without limit.
        wanted.accumulateAndGet(
            count, (before, more) -> before + more < 0 ? Long.MAX_VALUE : before + more);
      }
      takeTurn();
    }

    @Override
    public void cancel() {
      cancelled = true;
      cursor.close();
    }

    private void takeTurn() {
      if (turns.getAndIncrement() != 0) {
        return;
      }
      int seen = 1;
      while (seen != 0) {
        turn();
        seen = turns.addAndGet(-seen);
      }
    }

    private void turn() {
      while (!cancelled) {
        Throwable ended = failure;
        if (badRequest) {
          cancelled = true;
          subscriber.onError(
              new IllegalArgumentException("a subscriber requests one element or more"));
        } else if (ended != null) {
          cancelled = true;
          subscriber.onError(ended);
        } else if (asked) {
          return;
        } else if (!arrived.isEmpty()) {
          if (wanted.get() == 0) {
            return;
          }
          wanted.updateAndGet(left -> left == Long.MAX_VALUE ? left : left - 1);
          deliver(arrived.remove());
        } else if (atEnd) {
          cancelled = true;
          subscriber.onComplete();
        } else if (begun) {
          // Also where nothing more is wanted: a subscriber may have all there is, and learns it.
          ask();
        } else {
          return;
        }
      }
    }

    private void deliver(T element) {
      try {
        subscriber.onNext(element);
      } catch (RuntimeException | Error e) {
        // A subscriber that throws has broken the rules, and gets nothing more.
        cancel();
        throw e;
      }
    }

    private void ask() {
      asked = true;
      var unused =
          cursor
              .next()
              .whenComplete(
                  (part, thrown) -> {
                    if (thrown != null) {
                      failure = thrown;
                    } else {
                      arrived.addAll(part);
                      atEnd = part.isEmpty();
                    }
                    asked = false;
                    takeTurn();
                  });
    }
  }
}
