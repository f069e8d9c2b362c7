package dev.colonnade.server.cluster.net;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** This node's requests that wait for an answer, by number. Thread-safe; bounded. */
final class PendingRequests {
  private final ConcurrentHashMap<Long, PendingRequest> byNumber = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final AtomicLong numbers;
  private final int limit;
  private final Consumer<PendingRequest> onCancelled;

  /**
   * Starts without requests.
   *
   * @param firstNumber greater than the numbers of earlier runs of this node, so that a late answer
   *     to an earlier run is recognised
   * @param onCalledOff told of requests that the caller cancelled
   */
  PendingRequests(long firstNumber, int limit, Consumer<PendingRequest> onCalledOff) {
    this.numbers = new AtomicLong(firstNumber);
    this.limit = limit;
    this.onCancelled = onCalledOff;
  }

  /** Adds a new request; null if there is no room. */
  @Nullable PendingRequest add(
      Peer to, Verb verb, long nowNanos, long deadlineNanos, @Nullable TraceCarrier trace) {
    if (size.incrementAndGet() > limit) {
      size.decrementAndGet();
      return null;
    }
    PendingRequest request =
        new PendingRequest(
            this, to, verb, numbers.incrementAndGet(), nowNanos, deadlineNanos, trace);
    byNumber.put(request.number(), request);
    return request;
  }

  /** Removes and returns the request that an answer is for; null if there is none. */
  @Nullable PendingRequest answered(Frame answer) {
    PendingRequest request = byNumber.get(answer.number());
    boolean matches =
        request != null && request.verb() == answer.verb() && mayAnswer(request.to(), answer);
    return matches && remove(request) ? request : null;
  }

  /** Removes and returns the request that this frame was to carry; null if there is none. */
  @Nullable PendingRequest unsent(Frame frame) {
    PendingRequest request = byNumber.get(frame.number());
    return remove(request) ? request : null;
  }

  /**
   * Another node that now listens at the requested address may only refuse the request, not answer
   * it.
   */
  private static boolean mayAnswer(Peer asked, Frame answer) {
    return asked.admits(answer.from().id())
        || (answer.kind() == Frame.FrameKind.FAILURE
            && asked.address().equals(answer.from().address()));
  }

  /** Removes a request; false if it was already removed. */
  boolean remove(@Nullable PendingRequest request) {
    if (request != null && byNumber.remove(request.number(), request)) {
      size.decrementAndGet();
      return true;
    }
    return false;
  }

  /** Removes and returns the requests that {@code which} selects, oldest first. */
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

  /** Returns the requests that {@code which} selects, without removing them. */
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
