package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.TraceParent;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.v1.RequestStats;
import io.grpc.Context;
import io.grpc.Deadline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The context of a call besides its request: when it arrived, how long the caller will wait, and
 * whether the caller is still there. Created on the thread that brought the call, usable on any.
 */
final class CallContext {

  /**
   * Of which trace the call is a part.
   *
   * @param events null if the caller does not sample the trace
   */
  record Trace(TraceParent parent, @Nullable CallTrace events) {

    /**
     * The trace of a call that arrived then.
     *
     * @param header as the caller wrote it
     * @return null if it is malformed
     */
    static @Nullable Trace of(String header, Clock clock, String nodeId, long arrivedNanos) {
      TraceParent parent = TraceParent.parse(header);
      if (parent == null) {
        return null;
      }
      CallTrace events =
          parent.sampled() ? new CallTrace(clock, parent, nodeId, arrivedNanos) : null;
      return new Trace(parent, events);
    }
  }

  /** The remaining time of a caller that set no deadline. */
  static final long NO_DEADLINE = Long.MAX_VALUE;

  private final Caller caller;
  private final Clock clock;
  private final String nodeId;
  private final long startNanos;
  private final boolean callersDeadline;
  private final long deadlineNanos;
  private final long timeoutNanos;
  private final AnswerMemory memory;
  private final @Nullable Trace traced;

  // What the call has cost.
  private volatile CallCost spent = CallCost.NONE;
  private volatile @Nullable AskedReplicas asked;

  /**
   * Creates the context of a call that arrives now.
   *
   * @param callerWaitsNanos how long the caller waits; {@link #NO_DEADLINE} if it did not say
   * @param traced null if the call is no part of a trace
   */
  CallContext(
      Caller caller,
      AnswerMemory memory,
      long callerWaitsNanos,
      Clock clock,
      String nodeId,
      RpcSettings settings,
      @Nullable Trace traced) {
    this.caller = caller;
    this.memory = memory;
    this.clock = clock;
    this.nodeId = nodeId;
    this.startNanos = clock.monotonicNanos();
    this.timeoutNanos = settings.callTimeout().toNanos();
    this.callersDeadline = callerWaitsNanos != NO_DEADLINE;
    this.deadlineNanos =
        startNanos + (callersDeadline ? answerWithin(callerWaitsNanos, settings) : timeoutNanos);
    this.traced = traced;
    CallTrace events = events();
    if (events != null) {
      events.begin();
    }
  }

  /**
   * How much of the caller's time may be used for the answer. The rest is for sending it, so that
   * the caller gets a reason instead of its own timeout.
   */
  static long answerWithin(long callerWaitsNanos, RpcSettings settings) {
    long margin = Math.min(settings.answerMargin().toNanos(), callerWaitsNanos / 10);
    return callerWaitsNanos - Math.max(0, margin);
  }

  /**
   * The context of the current call on this thread; {@link RpcSettings#callTimeout} applies if the
   * call has no deadline.
   */
  static CallContext current(Clock clock, String nodeId, RpcSettings settings) {
    Context context = Context.current();
    Deadline deadline = context.getDeadline();
    CallMemory memory = CallMemory.of(context);
    CallContext call =
        new CallContext(
            Caller.of(context),
            memory,
            deadline == null ? NO_DEADLINE : deadline.timeRemaining(TimeUnit.NANOSECONDS),
            clock,
            nodeId,
            settings,
            memory.trace(clock, nodeId));
    memory.worksWith(call);
    return call;
  }

  /** The deadline for the answer by the monotonic clock, a little before the caller gives up. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** As {@link #deadlineNanos}; {@link Long#MAX_VALUE} if the caller set none. */
  long callersDeadlineNanos() {
    return callersDeadline ? deadlineNanos : Long.MAX_VALUE;
  }

  /**
   * As {@link #deadlineNanos}, for one of many steps: a stream without a deadline may continue as
   * long as it makes progress.
   */
  long stepDeadlineNanos() {
    return callersDeadline ? deadlineNanos : clock.monotonicNanos() + timeoutNanos;
  }

  /** The memory that the call's answer holds. */
  AnswerMemory memory() {
    return memory;
  }

  /** Whether the caller has gone. */
  boolean cancelled() {
    return caller.isGone();
  }

  /** The store as seen by this call: its reads are cancelled with the call, and it is traced. */
  RowStore rows(RowStore store) {
    return new CancellableStore(store, caller, events());
  }

  /** The trace of the call; null if the call is not traced. */
  @Nullable CallTrace events() {
    return traced == null ? null : traced.events();
  }

  /** The W3C's id of the trace that the call is a part of; empty if it is of none. */
  String traceId() {
    return traced == null ? "" : traced.parent().traceId();
  }

  /** Throws if the caller has gone. */
  void throwIfCancelled() {
    if (cancelled()) {
      throw new CancellationException("the caller cancelled or its deadline passed");
    }
  }

  /** Notes what the call has cost. */
  void spent(CallCost cost) {
    spent = cost;
  }

  /** Notes the nodes that a write was sent to. */
  void spent(AskedReplicas replicas) {
    asked = replicas;
  }

  /** What the call has cost, as far as that is known. */
  CallCost spent() {
    AskedReplicas written = asked;
    return written == null ? spent : CallCost.of(written);
  }

  /** The call's cost so far. */
  RequestStats stats() {
    CallCost cost = spent();
    RequestStats.Builder stats =
        RequestStats.newBuilder()
            .setCoordinator(nodeId)
            .addAllReplicas(cost.replicas().asked())
            .addAllReplicasAnswered(cost.replicas().answered())
            .setSstablesRead(saturated(cost.sstables()))
            .setBloomRejections(saturated(cost.bloomRejections()))
            .setServerMicros((clock.monotonicNanos() - startNanos) / 1_000)
            .setBlocksRead(cost.blocksRead())
            .setBlockCacheHits(cost.blockCacheHits())
            .setTombstonesScanned(cost.tombstones())
            .setLateReplicas(saturated(cost.late()))
            .setDigestMismatches(saturated(cost.mismatches()))
            .setReadRepairs(saturated(cost.repairs()))
            .setTraceId(traceId());
    CallTrace events = events();
    if (events != null) {
      events.add(CallTrace.Step.ENCODED, "", "");
      TraceMessages.add(events, stats);
    }
    return stats.build();
  }

  private static int saturated(long figure) {
    return (int) Math.min(Integer.MAX_VALUE, figure);
  }
}
