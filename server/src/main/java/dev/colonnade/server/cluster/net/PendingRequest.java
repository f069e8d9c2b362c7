package dev.colonnade.server.cluster.net;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request of this node that waits for its answer; also the future that the caller holds. */
final class PendingRequest extends CompletableFuture<byte[]> {
  private final PendingRequests owner;
  private final Peer to;
  private final Verb verb;
  private final long number;
  private final long sentNanos;
  private final @Nullable TraceCarrier trace;
  private volatile long deadlineNanos;
  private volatile boolean suspected;

  PendingRequest(
      PendingRequests owner,
      Peer to,
      Verb verb,
      long number,
      long sentNanos,
      long deadlineNanos,
      @Nullable TraceCarrier trace) {
    this.owner = owner;
    this.to = to;
    this.verb = verb;
    this.number = number;
    this.sentNanos = sentNanos;
    this.deadlineNanos = deadlineNanos;
    this.trace = trace;
  }

  /** Of the call that it belongs to; null if that is not traced. */
  @Nullable TraceCarrier trace() {
    return trace;
  }

  Peer to() {
    return to;
  }

  Verb verb() {
    return verb;
  }

  long number() {
    return number;
  }

  long sentNanos() {
    return sentNanos;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Records that the connection broke; the request waits for an answer until then at most. */
  void suspect(long untilNanos) {
    suspected = true;
    deadlineNanos = Math.min(deadlineNanos, untilNanos);
  }

  /** Whether the connection that it was sent over broke. */
  boolean isSuspected() {
    return suspected;
  }

  /** Also cancels the request at the peer. */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    if (cancelled) {
      owner.cancelled(this);
    }
    return cancelled;
  }
}
