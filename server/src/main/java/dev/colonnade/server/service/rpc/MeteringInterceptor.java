package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reports every call once, when it is closed or cancelled. */
final class MeteringInterceptor implements ServerInterceptor {

  private final CallMetrics metrics;
  private final Clock clock;

  MeteringInterceptor(CallMetrics metrics, Clock clock) {
    this.metrics = metrics;
    this.clock = clock;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    long startNanos = clock.monotonicNanos();
    String method = call.getMethodDescriptor().getFullMethodName();
    AtomicBoolean reported = new AtomicBoolean();
    ServerCall<Q, R> metered =
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            report(reported, method, status.getCode(), startNanos);
            super.close(status, trailers);
          }
        };
    return new SimpleForwardingServerCallListener<>(next.startCall(metered, headers)) {
      @Override
      public void onCancel() {
        report(reported, method, Status.Code.CANCELLED, startNanos);
        super.onCancel();
      }
    };
  }

  private void report(AtomicBoolean reported, String method, Status.Code code, long startNanos) {
    if (reported.compareAndSet(false, true)) {
      metrics.ended(method, code.name(), (clock.monotonicNanos() - startNanos) / 1_000);
    }
  }
}
