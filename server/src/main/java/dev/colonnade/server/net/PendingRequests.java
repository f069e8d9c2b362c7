package dev.colonnade.server.net;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The requests of this node that wait for an answer, by number. Thread-safe; bounded. */
final class PendingRequests {
  private final ConcurrentHashMap<Long, PendingRequest> byNumber = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong numbers;
  private final int limit;
  private final Consumer<PendingRequest> onCancelled;

  /**
   * Without any request.
   *
   * @param firstNumber greater than what an earlier run of this node used, so that a late answer to
   *     a request of that run is known as one
   * @param onCalledOff hears of requests whose asker listens no more
   */
  PendingRequests(long firstNumber, int limit, Consumer<PendingRequest> onCalledOff) {
    this.numbers = new AtomicLong(firstNumber);
    this.limit = limit;
    this.onCancelled = onCalledOff;
  }

  /** Takes a place for a new request; null if there is none. */
  @Nullable PendingRequest add(Peer to, Verb verb, long nowNanos, long deadlineNanos) {
    if (size.incrementAndGet() > limit) {
      size.decrementAndGet();
      return null;
    }
    PendingRequest request =
        new PendingRequest(this, to, verb, numbers.incrementAndGet(), nowNanos, deadlineNanos);
    byNumber.put(request.number(), request);
    return request;
  }

  /** Takes the request out that an answer is for; null if nobody waits for it. */
  @Nullable PendingRequest answered(Frame answer) {
    PendingRequest request = byNumber.get(answer.number());
    boolean matches =
        request != null && request.verb() == answer.verb() && mayAnswer(request.to(), answer);
    return matches && remove(request) ? request : null;
  }

  /** Takes the request out that this frame was to carry; null if nobody waits for it. */
  @Nullable PendingRequest unsent(Frame question) {
    PendingRequest request = byNumber.get(question.number());
    return remove(request) ? request : null;
  }

  /** Who listens now where the node that was asked listened before may refuse for it. */
  private static boolean mayAnswer(Peer asked, Frame answer) {
    return asked.admits(answer.from().id())
        || (answer.kind() == Frame.FrameKind.FAILURE
            && asked.address().equals(answer.from().address()));
  }

  /** Takes it out; false if it was not in any more. */
  boolean remove(@Nullable PendingRequest request) {
    if (request != null && byNumber.remove(request.number(), request)) {
      size.decrementAndGet();
      return true;
    }
    return false;
  }

  /** Takes out what {@code which} chooses, oldest first. */
  List<PendingRequest> removeIf(Predicate<PendingRequest> which) {
    List<PendingRequest> chosen = new ArrayList<>();
    for (PendingRequest request : byNumber.values()) {
      if (which.test(request) && remove(request)) {
        chosen.add(request);
      }
    }
    chosen.sort(Comparator.comparingLong(PendingRequest::number));
    return chosen;
  }

  /** Those that {@code which} chooses; they stay. */
  List<PendingRequest> all(Predicate<PendingRequest> which) {
    return byNumber.values().stream().filter(which).toList();
  }

  /** The next deadline; MAX_VALUE if there is none. */
  long earliestDeadline() {
    long earliest = Long.MAX_VALUE;
    for (PendingRequest request : byNumber.values()) {
      earliest = Math.min(earliest, request.deadlineNanos());
    }
    return earliest;
  }

  int size() {
    return size.get();
  }

  void cancelled(PendingRequest request) {
    if (remove(request)) {
      onCancelled.accept(request);
    }
  }
}
