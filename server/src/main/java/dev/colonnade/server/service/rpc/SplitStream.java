package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.DescribeSplitsResponse;
import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.async.Then;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the splits of one range of the ring after the other, as fast as the caller takes them: the
 * splits of at most one range wait. Thread-safe.
 */
final class SplitStream {

  /** Computes the splits of a range. */
  interface RangeSplitter {
    CompletableFuture<List<DescribeSplitsResponse>> splits();
  }

  private final ServerCallStreamObserver<DescribeSplitsResponse> call;
  private final StatusErrors errors;
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  private volatile boolean cancelled;

  // Accessed only by the thread that does the work.
  private final Deque<RangeSplitter> pieces;
  private final Deque<DescribeSplitsResponse> ready = new ArrayDeque<>();
  private @Nullable CompletableFuture<List<DescribeSplitsResponse>> awaited;
  private boolean ended;

  private SplitStream(
      ServerCallStreamObserver<DescribeSplitsResponse> call,
      List<RangeSplitter> pieces,
      StatusErrors errors) {
    this.call = call;
    this.pieces = new ArrayDeque<>(pieces);
    this.errors = errors;
  }

  static void start(
      ServerCallStreamObserver<DescribeSplitsResponse> call,
      List<RangeSplitter> pieces,
      StatusErrors errors) {
    SplitStream stream = new SplitStream(call, pieces, errors);
    call.setOnReadyHandler(stream::wake);
    call.setOnCancelHandler(
        () -> {
          stream.cancelled = true;
          stream.wake();
        });
    stream.wake();
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
    while (!ended) {
      CompletableFuture<List<DescribeSplitsResponse>> running = awaited;
      if (cancelled) {
        ended = true;
        if (running != null) {
          running.cancel(false);
        }
      } else if (running != null) {
        if (!running.isDone()) {
          return;
        }
        awaited = null;
        take(running);
      } else if (!ready.isEmpty()) {
        if (!call.isReady()) {
          return;
        }
        call.onNext(ready.remove());
      } else if (pieces.isEmpty()) {
        ended = true;
        call.onCompleted();
      } else {
        split(pieces.remove());
      }
    }
  }

  private void split(RangeSplitter piece) {
    CompletableFuture<List<DescribeSplitsResponse>> asked = Then.called(piece::splits);
    awaited = asked;
    Then.whenDone(asked, (splits, failure) -> wake());
  }

  private void take(CompletableFuture<List<DescribeSplitsResponse>> done) {
    Then.whenDone(
        done,
        (splits, failure) -> {
          if (failure == null) {
            ready.addAll(splits);
          } else {
            ended = true;
            call.onError(errors.ofRead(failure));
          }
        });
  }
}
