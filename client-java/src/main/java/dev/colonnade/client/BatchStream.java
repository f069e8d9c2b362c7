package dev.colonnade.client;

import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One StreamMutate after the other: when one breaks, the next begins with the batches that have no
 * answer. That does no harm, because they carry their timestamps. The number of batches without an
 * answer is bounded, and they are kept; unsent data is bounded by the transport's buffer, those and
 * one batch. Thread-safe.
 */
final class BatchStream {

  /** The node's default limit. */
  static final int MOST_OUTSTANDING = 64;

  private final Channel channel;
  private final Duration silenceLimit;
  private final int resumeAttempts;

  /** A batch that was sent and has no answer. */
  private record Sent(BatchMutateRequest batch, CompletableFuture<@Nullable Void> outcome) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // The fields below are guarded by the lock.
  private final Map<Long, Sent> outstanding = new LinkedHashMap<>();
  private @Nullable ClientCall<StreamMutateRequest, StreamMutateResponse> call;
  private long sequence;
  private int failures;
  private boolean halfClosed;
  private @Nullable ColonnadeException broken;
  private boolean over;
  private long lastNewsNanos = System.nanoTime();

  /**
   * A stream that begins its call with its first batch.
   *
   * @param silenceLimit how long to wait while the node is silent
   * @param resumeAttempts how many times in a row to continue after a broken connection
   */
  BatchStream(Channel channel, Duration silenceLimit, int resumeAttempts) {
    this.channel = channel;
    this.silenceLimit = silenceLimit;
    this.resumeAttempts = resumeAttempts;
  }

  /**
   * Sends a batch, as soon as there is room for it.
   *
   * @return how it ended
   * @throws ColonnadeException if it was not sent, because the stream broke, there was no room for
   *     too long, or the thread was interrupted @throws IllegalStateException after {@link #finish}
   */
  CompletableFuture<@Nullable Void> send(BatchMutateRequest batch) {
    CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
    lock.lock();
    try {
      requireOpen();
      if (outstanding.isEmpty()) {
        lastNewsNanos = System.nanoTime();
      }
      awaitWhile(
          () -> broken == null && (outstanding.size() >= MOST_OUTSTANDING || !isReady()),
          "a batch was not sent: there was no room for it");
      requireOpen();
      send(new Sent(batch, outcome));
    } finally {
      lock.unlock();
    }
    return outcome;
  }

  /**
   * Whether the present call takes a message. Begins one if there is none: if the last one broke
   * while it had no batch, only the thread that waits here can begin the next.
   */
  private boolean isReady() {
    ClientCall<StreamMutateRequest, StreamMutateResponse> open = opened();
    while (open != call && broken == null) {
      // It ended while it began, in this thread.
      open = opened();
    }
    return open.isReady();
  }

  private void send(Sent batch) {
    long number = ++sequence;
    outstanding.put(number, batch);
    opened()
        .sendMessage(
            StreamMutateRequest.newBuilder().setSequence(number).setBatch(batch.batch()).build());
  }

  /** Sends no more, and waits until every sent batch has ended. */
  void finish() {
    lock.lock();
    try {
      if (call != null && !halfClosed && !over) {
        call.halfClose();
      }
      halfClosed = true;
      changed.signalAll();
      lastNewsNanos = System.nanoTime();
      awaitWhile(() -> call != null && !over, "the outcome of some batches is not known");
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (halfClosed) {
      throw new IllegalStateException("the writer is closed");
    }
    if (broken != null) {
      throw Errors.again(broken, Applied.NO);
    }
  }

  private ClientCall<StreamMutateRequest, StreamMutateResponse> opened() {
    ClientCall<StreamMutateRequest, StreamMutateResponse> open = call;
    if (open == null) {
      CallOptions options =
          CallOptions.DEFAULT.withOption(ListenedCalls.IF_UNSTATED, Applied.UNKNOWN);
      // A writer in progress waits for the next connection. One that has not begun loses nothing by
      // failing, and a caller of an absent node should learn that at once.
      open =
          channel.newCall(
              ColumnStoreServiceGrpc.getStreamMutateMethod(),
              failures > 0 ? options.withWaitForReady() : options);
      call = open;
      open.start(new Outcomes(), new Metadata());
      open.request(1);
    }
    return open;
  }

  /** Waits for an answer; ends the call if none comes for too long. */
  private void awaitWhile(BooleanSupplier waiting, String meaning) {
    try {
      while (waiting.getAsBoolean()) {
        long left = silenceLimit.toNanos() - (System.nanoTime() - lastNewsNanos);
        if (left <= 0) {
          throw giveUp(
              Status.DEADLINE_EXCEEDED.withDescription(
                  meaning + "; nothing came from the node for " + silenceLimit));
        }
        boolean unused = changed.await(left, TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Status interrupted =
          Status.CANCELLED
              .withDescription(meaning + "; the thread that waited was interrupted")
              .withCause(e);
      // An interrupted writer thread may leave alone; one that leaves {@link #finish} ends the call
      // for all.
      throw halfClosed
          ? giveUp(interrupted)
          : Errors.translate(interrupted.asRuntimeException(), Applied.NO);
    }
  }

  private ColonnadeException giveUp(Status status) {
    ColonnadeException failure =
        Errors.translate(status.asRuntimeException(), halfClosed ? Applied.UNKNOWN : Applied.NO);
    if (broken == null) {
      broken = failure;
    }
    if (call != null) {
      call.cancel("the writer gave up", null);
    }
    return failure;
  }

  private final class Outcomes extends ClientCall.Listener<StreamMutateResponse> {

    @Override
    public void onReady() {
      lock.lock();
      try {
        lastNewsNanos = System.nanoTime();
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void onMessage(StreamMutateResponse message) {
      Map<MutateOutcome, CompletableFuture<@Nullable Void>> ended = new HashMap<>();
      lock.lock();
      try {
        lastNewsNanos = System.nanoTime();
        failures = 0;
        for (MutateOutcome outcome : message.getOutcomesList()) {
          Sent batch = outstanding.remove(outcome.getSequence());
          if (batch != null) {
            ended.put(outcome, batch.outcome());
          }
        }
        if (call != null) {
          call.request(1);
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
      ended.forEach(
          (outcome, batch) -> {
            ColonnadeException failure = Errors.of(outcome);
            if (failure == null) {
              batch.complete(null);
            } else {
              batch.completeExceptionally(failure);
            }
          });
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      List<Sent> unanswered;
      ColonnadeException failure;
      lock.lock();
      try {
        if (mayContinue(status, trailers)) {
          again();
          return;
        }
        unanswered = new ArrayList<>(outstanding.values());
        outstanding.clear();
        Status end =
            status.isOk()
                ? Status.INTERNAL.withDescription("the node ended the stream of batches early")
                : status;
        failure =
            broken == null
                ? Errors.translate(end.asRuntimeException(trailers), Applied.UNKNOWN)
                : Errors.again(broken, Applied.UNKNOWN);
        if (broken == null && !(status.isOk() && halfClosed && unanswered.isEmpty())) {
          broken = failure;
        }
      } finally {
        lock.unlock();
      }
      unanswered.forEach(batch -> batch.outcome().completeExceptionally(failure));
      lock.lock();
      try {
        // Only now, so that a thread that waited for the end finds all futures complete.
        over = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private boolean mayContinue(Status status, Metadata trailers) {
      if (status.isOk() || broken != null || (halfClosed && outstanding.isEmpty())) {
        return false;
      }
      RuntimeException end = status.asRuntimeException(trailers);
      boolean ofTheNode =
          Errors.isOfTransport(end)
              || Errors.translate(end, Applied.UNKNOWN).reason().equals("NODE_NOT_READY");
      return ofTheNode && ++failures <= resumeAttempts;
    }

    /** Begins another call with everything that has no answer. */
    private void again() {
      List<Sent> unanswered = new ArrayList<>(outstanding.values());
      outstanding.clear();
      call = null;
      sequence = 0;
      unanswered.forEach(BatchStream.this::send);
      if (halfClosed) {
        opened().halfClose();
      }
      changed.signalAll();
    }
  }
}
