package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.CoordinationException;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets a bounded number of calls in, and turns what a handler throws into a status like any other:
 * logged once, with a number for the client instead of a stack trace.
 */
final class GuardInterceptor implements ServerInterceptor {

  private final StatusErrors errors;
  private final int maxOpenCalls;
  private final AtomicInteger openCalls = new AtomicInteger();

  GuardInterceptor(StatusErrors errors, int maxOpenCalls) {
    this.errors = errors;
    this.maxOpenCalls = maxOpenCalls;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (openCalls.incrementAndGet() > maxOpenCalls) {
      openCalls.decrementAndGet();
      close(call, errors.ofRead(new CoordinationException.Overloaded("open calls of this node")));
      return new ServerCall.Listener<>() {};
    }
    ServerCall.Listener<Q> listener;
    try {
      listener = next.startCall(call, headers);
    } catch (RuntimeException e) {
      openCalls.decrementAndGet();
      close(call, errors.ofWrite(e));
      return new ServerCall.Listener<>() {};
    }
    return new Guarded<>(listener, call);
  }

  private static void close(ServerCall<?, ?> call, StatusRuntimeException status) {
    Metadata trailers = status.getTrailers();
    call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  private final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {
    private final ServerCall<Q, ?> call;
    private final AtomicBoolean counted = new AtomicBoolean(true);
    private boolean failed;

    Guarded(ServerCall.Listener<Q> listener, ServerCall<Q, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      guard(() -> super.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      guard(super::onHalfClose);
    }

    @Override
    public void onReady() {
      guard(super::onReady);
    }

    @Override
    public void onCancel() {
      leave();
      guard(super::onCancel);
    }

    @Override
    public void onComplete() {
      leave();
      guard(super::onComplete);
    }

    private void leave() {
      if (counted.compareAndSet(true, false)) {
        openCalls.decrementAndGet();
      }
    }

    /** Events of one call come one after the other, so no lock is needed. */
    private void guard(Runnable event) {
      if (failed) {
        return;
      }
      try {
        event.run();
      } catch (RuntimeException e) {
        failed = true;
        StatusRuntimeException status = errors.ofWrite(e);
        try {
          close(call, status);
        } catch (IllegalStateException alreadyClosed) {
          // The handler had answered before it threw; what it threw is in the log.
        }
      }
    }
  }
}
