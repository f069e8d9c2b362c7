package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.env.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A message of another node whose handler is running. */
final class RunningRequest implements Request {

  /**
   * Matches a request with the message that cancels it.
   *
   * @param from the requester's id
   * @param number the requester's number
   */
  record RequestKey(String from, long number) implements Comparable<RequestKey> {
    @Override
    public int compareTo(RequestKey other) {
      int byNumber = Long.compare(number, other.number);
      return byNumber != 0 ? byNumber : from.compareTo(other.from);
    }
  }

  private final Frame frame;
  private final long deadlineNanos;
  private final Clock clock;
  private volatile boolean cancelled;
  private volatile @Nullable CompletableFuture<byte[]> answer;
  private volatile @Nullable Supplier<byte[]> trace;

  RunningRequest(Frame frame, long deadlineNanos, Clock clock) {
    this.frame = frame;
    this.deadlineNanos = deadlineNanos;
    this.clock = clock;
  }

  RequestKey key() {
    return new RequestKey(frame.from().id(), frame.number());
  }

  Frame frame() {
    return frame;
  }

  @Override
  public Peer from() {
    return frame.from();
  }

  @Override
  public byte[] body() {
    return frame.body();
  }

  @Override
  public long deadlineNanos() {
    return deadlineNanos;
  }

  @Override
  public byte[] trace() {
    return frame.trace();
  }

  @Override
  public void answersTrace(Supplier<byte[]> events) {
    trace = events;
  }

  /** What the answer carries of the trace. */
  byte[] answerTrace() {
    Supplier<byte[]> events = trace;
    return events == null ? Frame.NO_TRACE : events.get();
  }

  @Override
  public boolean isCancelled() {
    return cancelled || isOver(clock.monotonicNanos());
  }

  boolean isOver(long nowNanos) {
    return deadlineNanos != Long.MAX_VALUE && nowNanos >= deadlineNanos;
  }

  void answeredBy(CompletableFuture<byte[]> handlersAnswer) {
    answer = handlersAnswer;
    if (cancelled) {
      handlersAnswer.cancel(false);
    }
  }

  /** Cancels the handler's future, as no caller waits for it. */
  void cancel() {
    cancelled = true;
    CompletableFuture<byte[]> handlersAnswer = answer;
    if (handlersAnswer != null) {
      handlersAnswer.cancel(false);
    }
  }
}
