package dev.colonnade.server.rpc;

import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.Progress;
import dev.colonnade.server.coordinator.NodeOperations;
import dev.colonnade.server.coordinator.NodeOperations.WorkProgress;
import dev.colonnade.server.schema.ColumnFamily;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tells an operator how far a compaction is. A slow reader gets the newest news only, so that one
 * message waits at most; the last one always comes. A caller who goes away stops the compaction.
 */
final class CompactionProgress {

  private final ServerCallStreamObserver<CompactResponse> call;
  private final StatusErrors errors;
  private final AtomicInteger notes = new AtomicInteger();

  private volatile @Nullable WorkProgress newest;
  private volatile boolean finished;
  private volatile @Nullable Throwable failed;
  private volatile boolean cancelled;

  // Only touched by whoever works.
  private @Nullable WorkProgress sent;
  private boolean ended;

  private CompactionProgress(ServerCallStreamObserver<CompactResponse> call, StatusErrors errors) {
    this.call = call;
    this.errors = errors;
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  static void start(
      ServerCallStreamObserver<CompactResponse> call,
      NodeOperations operations,
      List<ColumnFamily> families,
      StatusErrors errors) {
    CompactionProgress stream = new CompactionProgress(call, errors);
    CompletableFuture<Void> work =
        operations.compact(
            families,
            progress -> {
              stream.newest = progress;
              stream.wake();
            });
    call.setOnReadyHandler(stream::wake);
    call.setOnCancelHandler(
        () -> {
          stream.cancelled = true;
          work.cancel(false);
          stream.wake();
        });
    work.whenComplete(
        (done, error) -> {
          stream.failed = error;
          stream.finished = true;
          stream.wake();
        });
  }

  private void wake() {
    if (notes.getAndIncrement() != 0) {
      return;
    }
    do {
      work();
    } while (notes.decrementAndGet() != 0);
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
          CompactResponse.newBuilder()
              .setProgress(
                  Progress.newBuilder()
                      .setPhase(progress.phase())
                      .setDone(progress.done())
                      .setTotal(progress.total())
                      .setDetail(progress.detail()))
              .build());
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
