package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends chunks to a caller no faster than it takes them. The next chunk is read when the transport
 * is ready for it, so a call holds one chunk, however slow the reader and however long the stream.
 * Nothing is held between chunks. If there is no memory for the next chunk, the read is retried for
 * as long as a call may take.
 *
 * <p>Any thread may wake it: the transport, the completion of a read, a cancellation. One thread at
 * a time does the work; the others only set a flag that there is more to do.
 */
final class ChunkStream<T> {

  private static final Duration TRY_AGAIN = Duration.ofMillis(100);

  /**
   * A message and whether it is the last.
   *
   * @param message empty if there is nothing left to send
   */
  record NextChunk<T>(@Nullable T message, boolean last) {}

  private final ServerCallStreamObserver<T> call;
  private final Supplier<CompletableFuture<NextChunk<T>>> source;
  private final RpcContext rpc;
  private final CallMemory memory = CallMemory.current();
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  // Written by the thread that completes a read, before it sets the flag; read and reset by the
  // thread that does the work.
  private volatile @Nullable NextChunk<T> arrived;
  private volatile @Nullable Throwable failed;
  private volatile boolean cancelled;

  /** Whether the pause before the next retry is over. */
  private volatile boolean due;

  // Accessed only by the thread that does the work.
  private boolean reading;
  private boolean ended;

  /** When the last chunk was sent, or the stream began. */
  private long movedNanos;

  private ChunkStream(
      ServerCallStreamObserver<T> call,
      Supplier<CompletableFuture<NextChunk<T>>> source,
      RpcContext rpc) {
    this.call = call;
    this.source = source;
    this.rpc = rpc;
    this.movedNanos = rpc.clock().monotonicNanos();
  }

  /**
   * Starts sending; must be called on the thread that brought the call, before its method returns.
   */
  static <T> void start(
      ServerCallStreamObserver<T> call,
      Supplier<CompletableFuture<NextChunk<T>>> source,
      RpcContext rpc) {
    ChunkStream<T> stream = new ChunkStream<>(call, source, rpc);
    call.setOnCancelHandler(
        () -> {
          stream.cancelled = true;
          stream.wake();
        });
    call.setOnReadyHandler(stream::wake);
    stream.wake();
  }

  private void wake() {
    loop.wake();
  }

  /** Ends the call after an exception in a turn, since it is not known how far the turn got. */
  private void broken(Throwable thrown) {
    if (!ended) {
      ended = true;
      memory.dropAnswer();
      call.onError(rpc.errors().ofRead(thrown));
    }
  }

  private void work() {
    if (ended) {
      return;
    }
    if (cancelled) {
      ended = true;
      arrived = null;
      memory.dropAnswer();
      return;
    }
    Throwable error = failed;
    if (error != null) {
      memory.dropAnswer();
      if (isWorthAnotherTry(error)) {
        failed = null;
        tryAgainSoon();
        return;
      }
      ended = true;
      call.onError(rpc.errors().ofRead(error));
      return;
    }
    NextChunk<T> chunk = arrived;
    if (chunk != null) {
      arrived = null;
      reading = false;
      send(chunk);
    }
    if (due) {
      due = false;
      reading = false;
    }
    if (!reading && !ended && call.isReady()) {
      read();
    }
  }

  private boolean isWorthAnotherTry(Throwable error) {
    Throwable cause = Errors.unwrap(error);
    long waited = rpc.clock().monotonicNanos() - movedNanos;
    return cause instanceof CoordinationException.Overloaded
        && waited < rpc.settings().callTimeout().toNanos();
  }

  private void tryAgainSoon() {
    try {
      rpc.scheduler()
          .after(
              TRY_AGAIN,
              Stage.TIMER,
              () -> {
                due = true;
                wake();
              });
    } catch (RejectedExecutionException tooManyTimers) {
      ended = true;
      call.onError(rpc.errors().ofRead(new CoordinationException.Overloaded("streams that wait")));
    }
  }

  private void send(NextChunk<T> chunk) {
    movedNanos = rpc.clock().monotonicNanos();
    T message = chunk.message();
    if (message != null) {
      call.onNext(message);
    }
    if (chunk.last()) {
      ended = true;
      call.onCompleted();
    }
  }

  private void read() {
    reading = true;
    // The chunk being read is held until it is done, even if the caller goes away before that.
    memory.workBegins();
    Then.whenDone(
        Then.called(source),
        (chunk, error) -> {
          memory.workEnds();
          if (error != null) {
            failed = error;
          } else {
            arrived = chunk;
          }
          wake();
        });
  }
}
