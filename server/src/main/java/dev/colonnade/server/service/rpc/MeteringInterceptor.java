package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.consistency.CallTrace;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports every call once, when it is closed or cancelled, and notes of which trace it is a part.
 */
final class MeteringInterceptor implements ServerInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(MeteringInterceptor.class);

  /** The W3C's header with which a caller says of which trace a call is a part. */
  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

  private final CallMetrics metrics;
  private final Clock clock;
  private volatile long slowNanos;
  private final AtomicLong uncounted = new AtomicLong();

  MeteringInterceptor(CallMetrics metrics, Clock clock, RpcSettings settings) {
    this.metrics = metrics;
    this.clock = clock;
    slowFrom(settings.slowRequest());
  }

  /** Changes from when on a call is slow; zero: none is. */
  void slowFrom(Duration duration) {
    slowNanos = duration.isZero() ? Long.MAX_VALUE : duration.toNanos();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    long startNanos = clock.monotonicNanos();
    AtomicBoolean reported = new AtomicBoolean();
    CallMemory memory = CallMemory.current();
    String traceparent = headers.get(TRACEPARENT);
    if (traceparent != null) {
      memory.isTraced(traceparent, startNanos);
    }
    ServerCall<Q, R> metered =
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            report(reported, call, status.getCode(), memory, startNanos);
            super.close(status, trailers);
          }
        };
    return new SimpleForwardingServerCallListener<>(next.startCall(metered, headers)) {
      @Override
      public void onCancel() {
        report(reported, call, Status.Code.CANCELLED, memory, startNanos);
        super.onCancel();
      }
    };
  }

  private void report(
      AtomicBoolean reported,
      ServerCall<?, ?> call,
      Status.Code code,
      CallMemory memory,
      long startNanos) {
    if (!reported.compareAndSet(false, true)) {
      return;
    }
    long nanos = clock.monotonicNanos() - startNanos;
    MethodDescriptor<?, ?> method = call.getMethodDescriptor();
    CallSubject.Called subject = memory.subject();
    String name = method.getFullMethodName();
    count(name, code, subject.keyspace(), subject.family(), nanos);
    traced(name, code, subject.keyspace(), subject.family(), nanos, memory.callContext());
    // Streams take as long as their reader likes.
    if (nanos >= slowNanos && method.getType() == MethodDescriptor.MethodType.UNARY) {
      String client = CallIdentity.address(call.getAttributes());
      slow(
          SlowRequest.of(name, code, subject, nanos, client)
              .with(memory.callContext(), memory.sendingBytes()));
    }
  }

  /**
   * Reports a call of a session that has ended.
   *
   * @param request of the call
   */
  <Q> void ended(DataCall<Q, ?> kind, Q request, Status.Code code, OpenCall call) {
    long nanos = clock.monotonicNanos() - call.startNanos();
    CallSubject<Q> subject = kind.subject();
    String keyspace = subject.keyspace().apply(request);
    String family = subject.family().apply(request);
    count(kind.name(), code, keyspace, family, nanos);
    traced(kind.name(), code, keyspace, family, nanos, call.callContext());
    if (nanos >= slowNanos) {
      slow(
          SlowRequest.of(kind.name(), code, subject.of(request), nanos, call.client())
              .with(call.callContext(), kind.answerBytes(call.answer())));
    }
  }

  private void count(String method, Status.Code code, String keyspace, String family, long nanos) {
    try {
      metrics.ended(method, code.name(), keyspace, family, nanos);
    } catch (RuntimeException e) {
      lost(method, e);
    }
  }

  private void traced(
      String method,
      Status.Code code,
      String keyspace,
      String family,
      long nanos,
      @Nullable CallContext work) {
    CallTrace trace = work == null ? null : work.events();
    if (trace == null) {
      return;
    }
    try {
      metrics.traced(
          new TracedCall(
              method,
              code.name(),
              keyspace,
              family,
              nanos,
              trace.parent(),
              trace.events(),
              trace.dropped()));
    } catch (RuntimeException e) {
      lost(method, e);
    }
  }

  private void slow(SlowRequest request) {
    if (request.keyspace().isEmpty()) {
      return;
    }
    try {
      metrics.slow(request);
    } catch (RuntimeException e) {
      lost(request.method(), e);
    }
  }

  /** The call must be answered all the same. */
  private void lost(String method, RuntimeException why) {
    if (uncounted.getAndIncrement() == 0) {
      LOG.error("a call of {} was not counted; others like it are not logged", method, why);
    }
  }
}
