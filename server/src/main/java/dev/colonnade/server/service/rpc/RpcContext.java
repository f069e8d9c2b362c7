package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.service.consistency.TimestampSource;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.coordinator.RowToucher;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** What the handlers of the data calls share. Thread-safe. */
record RpcContext(
    RowStore store,
    RowToucher toucher,
    RequestRules rules,
    Predicates predicates,
    Mutations mutations,
    KeyRanges keyRanges,
    StatusErrors errors,
    TimestampSource timestamps,
    Clock clock,
    Scheduler scheduler,
    LargeTurns large,
    String nodeId,
    RpcSettings settings) {

  CallContext scope() {
    return CallContext.current(clock, nodeId, settings);
  }

  WriteTime writeTime() {
    return new WriteTime(timestamps, clock.wallSeconds());
  }

  /** Answers a data call that came as a gRPC call of its own. */
  <Q, R> void answer(DataCall<Q, R> kind, Q request, StreamObserver<R> observer) {
    CallMemory.current().isAbout(kind.subject(), request);
    answer(observer, errors, kind.write(), () -> kind.work().apply(request, scope()));
  }

  /** Answers a call that only reads. */
  <T> void read(StreamObserver<T> observer, Supplier<CompletableFuture<T>> work) {
    answer(observer, errors, false, () -> work.get().thenApply(AnswerPages::bounded));
  }

  /** Answers a call that changes something. */
  <T> void write(StreamObserver<T> observer, Supplier<CompletableFuture<T>> work) {
    answer(observer, errors, true, work);
  }

  /** Runs {@code work} and sends its single answer, or its error, to the caller. */
  static <T> void answer(
      StreamObserver<T> observer,
      StatusErrors errors,
      boolean write,
      Supplier<CompletableFuture<T>> work) {
    if (observer instanceof ServerCallStreamObserver<T> call) {
      // With a handler set, answering a caller that has gone is a no-op and not an error.
      call.setOnCancelHandler(() -> {});
    }
    CallMemory memory = CallMemory.current();
    // A write continues when its caller has gone, and holds its request until it is done.
    memory.workBegins();
    Then.whenDone(
        Then.called(work),
        (value, error) -> {
          memory.workEnds();
          if (error != null) {
            fail(observer, errors, write, error);
          } else {
            succeed(observer, errors, write, value);
          }
        });
  }

  /**
   * Sends the answer; if it cannot be built, for instance for lack of memory, the caller gets an
   * error.
   */
  private static <T> void succeed(
      StreamObserver<T> observer, StatusErrors errors, boolean write, T value) {
    try {
      observer.onNext(value);
    } catch (RuntimeException | Error e) {
      fail(observer, errors, write, e);
      return;
    }
    observer.onCompleted();
  }

  private static void fail(
      StreamObserver<?> observer, StatusErrors errors, boolean write, Throwable error) {
    observer.onError(write ? errors.ofWrite(error) : errors.ofRead(error));
  }
}
