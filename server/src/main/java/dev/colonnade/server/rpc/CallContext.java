package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.CallCost;
import dev.colonnade.server.coordinator.RowStore;
import dev.colonnade.server.env.Clock;
import dev.colonnade.v1.RequestStats;
import io.grpc.Context;
import io.grpc.Deadline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/**
 * What a call brought with it besides its request: when it came, how long its caller will wait,
 * whether the caller is still there. Made on the thread that brought the call, usable on any.
 */
final class CallContext {

  private final Context context;
  private final Clock clock;
  private final String nodeId;
  private final long startNanos;
  private final boolean callersDeadline;
  private final long deadlineNanos;
  private final long timeoutNanos;
  private final CallMemory memory;

  private CallContext(Context context, Clock clock, String nodeId, RpcSettings settings) {
    this.context = context;
    this.memory = CallMemory.of(context);
    this.clock = clock;
    this.nodeId = nodeId;
    this.startNanos = clock.monotonicNanos();
    this.timeoutNanos = settings.callTimeout().toNanos();
    Deadline deadline = context.getDeadline();
    this.callersDeadline = deadline != null;
    this.deadlineNanos =
        startNanos
            + (deadline == null
                ? timeoutNanos
                : answerWithin(deadline.timeRemaining(TimeUnit.NANOSECONDS), settings));
  }

  /**
   * How much of the time that the caller waits may be used until the answer is there: what is left
   * is for its way, without which the caller would hear its own clock and no reason.
   */
  static long answerWithin(long callerWaitsNanos, RpcSettings settings) {
    long margin = Math.min(settings.answerMargin().toNanos(), callerWaitsNanos / 10);
    return callerWaitsNanos - Math.max(0, margin);
  }

  /**
   * The scope of the call that is current on this thread; {@link RpcSettings#callTimeout} holds
   * when it has no deadline.
   */
  static CallContext current(Clock clock, String nodeId, RpcSettings settings) {
    return new CallContext(Context.current(), clock, nodeId, settings);
  }

  /**
   * When the answer must be there, by the monotonic clock: some time before the caller gives up.
   */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** As {@link #deadlineNanos}; {@link Long#MAX_VALUE} if the caller set none. */
  long callersDeadlineNanos() {
    return callersDeadline ? deadlineNanos : Long.MAX_VALUE;
  }

  /**
   * As {@link #deadlineNanos}, for one of many steps: a stream without a deadline may go on as long
   * as it moves.
   */
  long stepDeadlineNanos() {
    return callersDeadline ? deadlineNanos : clock.monotonicNanos() + timeoutNanos;
  }

  /** What the call holds of the node's memory. */
  CallMemory memory() {
    return memory;
  }

  /** Whether nobody waits for the answer any more. */
  boolean cancelled() {
    return context.isCancelled();
  }

  /** The rows for this call: what it reads is called off with it. */
  RowStore rows(RowStore store) {
    return new CancellableStore(store, context);
  }

  /** Ends work that nobody waits for. */
  void throwIfCancelled() {
    if (cancelled()) {
      throw new CancellationException("the caller cancelled or its deadline passed");
    }
  }

  /** What the call cost so far. */
  RequestStats stats(CallCost cost) {
    return RequestStats.newBuilder()
        .setCoordinator(nodeId)
        .addAllReplicas(cost.replicas().asked())
        .addAllReplicasAnswered(cost.replicas().answered())
        .setSstablesRead(saturated(cost.sstables()))
        .setBloomRejections(saturated(cost.bloomRejections()))
        .setServerMicros((clock.monotonicNanos() - startNanos) / 1_000)
        .setBlocksRead(cost.blocksRead())
        .setBlockCacheHits(cost.blockCacheHits())
        .setTombstonesScanned(cost.tombstones())
        .build();
  }

  private static int saturated(long figure) {
    return (int) Math.min(Integer.MAX_VALUE, figure);
  }
}
