package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.v1.SessionCall;
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
    CallMemory memory = CallMemory.current();
    ServerCall<Q, R> metered =
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            report(reported, method, status.getCode(), memory, startNanos);
            super.close(status, trailers);
          }
        };
    return new SimpleForwardingServerCallListener<>(next.startCall(metered, headers)) {
      @Override
      public void onCancel() {
        report(reported, method, Status.Code.CANCELLED, memory, startNanos);
        super.onCancel();
      }
    };
  }

  private void report(
      AtomicBoolean reported, String method, Status.Code code, CallMemory memory, long startNanos) {
    if (reported.compareAndSet(false, true)) {
      CallMemory.CalledSubject subject = memory.subject();
      ended(method, code, subject.keyspace(), subject.family(), startNanos);
    }
  }

  /**
   * Reports a call of a session that has ended.
   *
   * @param startNanos when it arrived, by the monotonic clock
   */
  <Q> void ended(DataCall<Q, ?> kind, SessionCall call, Status.Code code, long startNanos) {
    Q request = kind.inSession().apply(call);
    CallSubject<Q> subject = kind.subject();
    ended(
        kind.name(),
        code,
        subject.keyspace().apply(request),
        subject.family().apply(request),
        startNanos);
  }

  private void ended(
      String method, Status.Code code, String keyspace, String family, long startNanos) {
    try {
      metrics.ended(method, code.name(), keyspace, family, clock.monotonicNanos() - startNanos);
    } catch (RuntimeException e) {
      // The call must be answered all the same.
      if (uncounted.getAndIncrement() == 0) {
        LOG.error("a call of {} was not counted; others like it are not logged", method, e);
      }
    }
  }
}
