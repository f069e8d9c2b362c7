package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.Progress;
import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports the progress of long work to an operator. A slow reader gets only the latest progress, so
 * that one message waits at most; the last one is always sent. If the caller goes away, the work is
 * cancelled.
 *
 * @param <R> the answer of the call
 */
final class ProgressStream<R> {

  /** Work that reports its progress and ends when its future is cancelled. */
  interface Work {
    CompletableFuture<Void> start(Consumer<WorkProgress> progress);
  }

  private final ServerCallStreamObserver<R> call;
  private final StatusErrors errors;
  private final Function<Progress, R> answer;
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  private volatile @Nullable WorkProgress newest;
  private volatile boolean finished;
  private volatile @Nullable Throwable failed;
  private volatile boolean cancelled;

  // Accessed only by the thread that does the work.
  private @Nullable WorkProgress sent;
  private boolean ended;

  private ProgressStream(
      ServerCallStreamObserver<R> call, Function<Progress, R> answer, StatusErrors errors) {
    this.call = call;
    this.answer = answer;
    this.errors = errors;
  }

  /**
   * Starts work and reports its progress.
   *
   * @param answer builds an answer from the progress
   */
  static <R> void start(
      StreamObserver<R> observer, Function<Progress, R> answer, StatusErrors errors, Work asked) {
    ServerCallStreamObserver<R> call = (ServerCallStreamObserver<R>) observer;
    ProgressStream<R> stream = new ProgressStream<>(call, answer, errors);
    CompletableFuture<Void> work;
    try {
      work =
          asked.start(
              progress -> {
                stream.newest = progress;
                stream.wake();
              });
    } catch (RuntimeException | Error e) {
      observer.onError(errors.ofRead(e));
      return;
    }
    call.setOnReadyHandler(stream::wake);
    call.setOnCancelHandler(
        () -> {
          stream.cancelled = true;
          work.cancel(false);
          stream.wake();
        });
    Then.whenDone(
        work,
        (done, error) -> {
          stream.failed = error;
          stream.finished = true;
          stream.wake();
        });
  }

  private void wake() {
    loop.wake();
  }

  /** Ends the call after an exception in a turn, since it is not known how far the turn got. */
  private void broken(Throwable thrown) {
    if (!ended) {
      ended = true;
      call.onError(errors.ofRead(thrown));
    }
  }

  private void work() {
    if (ended) {
      return;
    }
    if (cancelled) {
      ended = true;
      return;
    }
    boolean last = finished;
    WorkProgress progress = newest;
    if (progress != null && !progress.equals(sent) && (last || call.isReady())) {
      sent = progress;
      call.onNext(
          answer.apply(
              Progress.newBuilder()
                  .setPhase(progress.phase())
                  .setDone(progress.done())
                  .setTotal(progress.total())
                  .setDetail(progress.detail())
                  .build()));
    }
    if (last) {
      ended = true;
      Throwable error = failed;
      if (error == null) {
        call.onCompleted();
      } else {
        call.onError(errors.ofRead(error));
      }
    }
  }
}
