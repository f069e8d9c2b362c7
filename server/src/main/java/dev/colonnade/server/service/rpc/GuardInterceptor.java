package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of open calls, refuses calls on data, schemas and the node's place in the ring
 * once the node is drained, and turns exceptions of a handler into a status: logged once, with a
 * number for the client instead of a stack trace.
 */
final class GuardInterceptor implements ServerInterceptor {

  private final StatusErrors errors;
  private final int maxOpenCalls;
  private final AtomicInteger openCalls = new AtomicInteger();
  private final LongAdder refusedCalls = new LongAdder();
  private final AtomicInteger openOwnCalls = new AtomicInteger();
  private final AtomicInteger openUses = new AtomicInteger();
  private final CompletableFuture<Void> usesEnded = new CompletableFuture<>();
  private volatile boolean keptOut;

  /** The prefix of this store's own services, whose calls end by themselves. */
  private static final String OWN = "colonnade.";

  private static final String OPEN_CALLS = "open calls of this node";

  /** A session is open for as long as its client likes, so its calls count in its place. */
  private static final String SESSION =
      ColumnStoreServiceGrpc.getSessionMethod().getFullMethodName();

  /** Calls that a drained node refuses. */
  private static final Set<String> USES =
      Set.of(
          ColumnStoreServiceGrpc.SERVICE_NAME,
          SchemaServiceGrpc.SERVICE_NAME,
          SearchServiceGrpc.SERVICE_NAME);

  /**
   * Further calls that a drained node does not start, because their result could not be stored.
   * Draining does not wait for running ones: most can take hours.
   */
  private static final Set<String> WORKS =
      Set.of(
          BulkLoadServiceGrpc.getLoadRowsMethod().getFullMethodName(),
          BulkLoadServiceGrpc.getScheduleRepairMethod().getFullMethodName(),
          NodeServiceGrpc.getCreateSnapshotMethod().getFullMethodName(),
          NodeServiceGrpc.getRepairMethod().getFullMethodName(),
          NodeServiceGrpc.getCleanupMethod().getFullMethodName(),
          NodeServiceGrpc.getDecommissionMethod().getFullMethodName(),
          NodeServiceGrpc.getMoveMethod().getFullMethodName(),
          NodeServiceGrpc.getLoadBalanceMethod().getFullMethodName(),
          NodeServiceGrpc.getRemoveTokenMethod().getFullMethodName());

  private final ReadyError drained;

  GuardInterceptor(StatusErrors errors, int maxOpenCalls) {
    this.errors = errors;
    this.drained = errors.ready(isDrained(), true);
    this.maxOpenCalls = maxOpenCalls;
  }

  /**
   * Refuses calls on data and schemas from now on.
   *
   * @return completes when none of them is in progress
   */
  CompletableFuture<Void> keepOut() {
    keptOut = true;
    if (openUses.get() == 0) {
      usesEnded.complete(null);
    }
    return usesEnded.copy();
  }

  /**
   * Whether no calls are open except on health and reflection, and sessions without calls, which
   * clients may leave open for as long as they live.
   */
  boolean isIdle() {
    return openOwnCalls.get() == 0;
  }

  /** Calls in progress, those of sessions included. */
  int openCalls() {
    return openCalls.get();
  }

  /** Calls that were refused because too many were in progress. */
  long refusedCalls() {
    return refusedCalls.sum();
  }

  private static CoordinationException isDrained() {
    return new CoordinationException.NodeNotReady(
        "the node is drained; nothing was applied, use another node");
  }

  /**
   * Counts a call of a session until {@link #leaveSessionCall}.
   *
   * @return why it is refused, and not counted; null if it may begin
   */
  @Nullable ReadyError enterSessionCall() {
    if (openCalls.incrementAndGet() > maxOpenCalls) {
      openCalls.decrementAndGet();
      refusedCalls.increment();
      return errors.overloaded(OPEN_CALLS);
    }
    if (!enters(true)) {
      openCalls.decrementAndGet();
      return drained;
    }
    openOwnCalls.incrementAndGet();
    return null;
  }

  /** A call of a session has ended. */
  void leaveSessionCall() {
    openCalls.decrementAndGet();
    openOwnCalls.decrementAndGet();
    leaves(true);
  }

  /**
   * Counts the call, or refuses it. The refusal is decided after counting, so that {@link #keepOut}
   * sees the call.
   */
  private boolean enters(boolean use) {
    if (!use) {
      return true;
    }
    openUses.incrementAndGet();
    if (keptOut) {
      leaves(true);
      return false;
    }
    return true;
  }

  private void leaves(boolean use) {
    if (use && openUses.decrementAndGet() == 0 && keptOut) {
      usesEnded.complete(null);
    }
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (openCalls.incrementAndGet() > maxOpenCalls) {
      openCalls.decrementAndGet();
      refusedCalls.increment();
      close(call, errors.ofRead(new CoordinationException.Overloaded(OPEN_CALLS)));
      return new ServerCall.Listener<>() {};
    }
    boolean session = isSession(call);
    boolean use =
        !session && USES.contains(String.valueOf(call.getMethodDescriptor().getServiceName()));
    boolean work = WORKS.contains(call.getMethodDescriptor().getFullMethodName());
    if (work && keptOut) {
      openCalls.decrementAndGet();
      close(
          call,
          errors.ofWrite(
              new CoordinationException.NodeNotReady(
                  "the node is drained; restart it, and try again")));
      return new ServerCall.Listener<>() {};
    }
    if ((session && keptOut) || !enters(use)) {
      openCalls.decrementAndGet();
      close(call, errors.ofWrite(isDrained()));
      return new ServerCall.Listener<>() {};
    }
    ServerCall.Listener<Q> listener;
    try {
      listener = next.startCall(call, headers);
    } catch (RuntimeException e) {
      openCalls.decrementAndGet();
      leaves(use);
      close(call, errors.ofWrite(e));
      return new ServerCall.Listener<>() {};
    }
    return new Guarded<>(listener, call, use);
  }

  private static boolean isOwn(ServerCall<?, ?> call) {
    return call.getMethodDescriptor().getFullMethodName().startsWith(OWN) && !isSession(call);
  }

  private static boolean isSession(ServerCall<?, ?> call) {
    return call.getMethodDescriptor().getFullMethodName().equals(SESSION);
  }

  private static void close(ServerCall<?, ?> call, StatusRuntimeException status) {
    Metadata trailers = status.getTrailers();
    call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  private final class Guarded<Q> extends SimpleForwardingServerCallListener<Q> {
    private final ServerCall<Q, ?> call;
    private final AtomicBoolean counted = new AtomicBoolean(true);
    private final boolean use;
    private boolean failed;

    Guarded(ServerCall.Listener<Q> listener, ServerCall<Q, ?> call, boolean use) {
      super(listener);
      this.call = call;
      this.use = use;
      if (isOwn(call)) {
        openOwnCalls.incrementAndGet();
      }
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
        if (isOwn(call)) {
          openOwnCalls.decrementAndGet();
        }
        leaves(use);
      }
    }

    /** The events of one call arrive one after the other, so no lock is needed. */
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
          // The handler had already answered before it threw; the exception is in the log.
        }
      }
    }
  }
}
