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
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports every call once, when it is closed or cancelled. */
final class MeteringInterceptor implements ServerInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(MeteringInterceptor.class);

  private final CallMetrics metrics;
  private final Clock clock;
  private final AtomicLong uncounted = new AtomicLong();

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
      ended(method, code, startNanos);
    }
  }

  /**
   * Reports a call that has ended.
   *
   * @param startNanos when it arrived, by the monotonic clock
   */
  void ended(String method, Status.Code code, long startNanos) {
    try {
      metrics.ended(method, code.name(), (clock.monotonicNanos() - startNanos) / 1_000);
    } catch (RuntimeException e) {
      // The call must be answered all the same.
      if (uncounted.getAndIncrement() == 0) {
        LOG.error("a call of {} was not counted; others like it are not logged", method, e);
      }
    }
  }
}
