package dev.colonnade.server.rpc;

import dev.colonnade.server.async.SerialLoop;
import dev.colonnade.server.async.Then;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends chunks to a caller no faster than it takes them: the next chunk is read when the transport
 * is ready for it, so that a call holds one chunk, however slow its reader and however long the
 * stream. Nothing is held between chunks.
 *
 * <p>Any thread may wake it: the transport, the completion of a read, a cancellation. One at a time
 * does the work, and whoever comes meanwhile leaves a note that there is more.
 */
final class ChunkStream<T> {

  /**
   * A message and whether it is the last.
   *
   * @param message empty when there is nothing to send any more
   */
  record Chunk<T>(@Nullable T message, boolean last) {}

  private final ServerCallStreamObserver<T> call;
  private final Supplier<CompletableFuture<Chunk<T>>> source;
  private final StatusErrors errors;
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  // Written by whoever completes a read, before it leaves a note; read and reset by whoever works.
  private volatile @Nullable Chunk<T> arrived;
  private volatile @Nullable Throwable failed;
  private volatile boolean cancelled;

  // Only touched by whoever works.
  private boolean reading;
  private boolean ended;

  private ChunkStream(
      ServerCallStreamObserver<T> call,
      Supplier<CompletableFuture<Chunk<T>>> source,
      StatusErrors errors) {
    this.call = call;
    this.source = source;
    this.errors = errors;
  }

  /**
   * Begins to send; must be called on the thread that brought the call, before its method returns.
   */
  static <T> void start(
      ServerCallStreamObserver<T> call,
      Supplier<CompletableFuture<Chunk<T>>> source,
      StatusErrors errors) {
    ChunkStream<T> stream = new ChunkStream<>(call, source, errors);
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

  /** A turn threw: there is no telling how far it was, so the call ends. */
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
      arrived = null;
      return;
    }
    Throwable error = failed;
    if (error != null) {
      ended = true;
      call.onError(errors.ofRead(error));
      return;
    }
    Chunk<T> chunk = arrived;
    if (chunk != null) {
      arrived = null;
      reading = false;
      send(chunk);
    }
    if (!reading && !ended && call.isReady()) {
      read();
    }
  }

  private void send(Chunk<T> chunk) {
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
    Then.whenDone(
        Then.called(source),
        (chunk, error) -> {
          if (error != null) {
            failed = error;
          } else {
            arrived = chunk;
          }
          wake();
        });
  }
}
