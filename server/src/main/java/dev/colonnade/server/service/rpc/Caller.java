package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Then;
import io.grpc.Context;
import java.util.concurrent.CompletableFuture;

/** The party that waits for the answer of a call. Thread-safe. */
interface Caller {

  /**
   * Whether it no longer waits: it has cancelled the call, disconnected, or its time has passed.
   */
  boolean isGone();

  /** Cancels a read if the caller goes before it is done. */
  void cancelWhenGone(CompletableFuture<?> read);

  /** The caller of a gRPC call of its own. */
  static Caller of(Context call) {
    return new Caller() {
      @Override
      public boolean isGone() {
        return call.isCancelled();
      }

      @Override
      public void cancelWhenGone(CompletableFuture<?> read) {
        Context.CancellationListener listener = cancelled -> read.cancel(false);
        call.addListener(listener, Runnable::run);
        Then.whenDone(read, (value, failure) -> call.removeListener(listener));
      }
    };
  }
}
