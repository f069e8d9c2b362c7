package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches of a stream that the node did not take, because it is behind with its writes. After a
 * while one of them is written again; once the node takes it, all others are. A batch waits until
 * its caller's deadline at most. Without one it waits as long as the node makes room, and then for
 * the time of a call. It is then answered with what refused it. For one thread at a time.
 */
final class DeferredBatches {

  /**
   * When to see again whether the node has caught up: a memtable takes a second or more to reach
   * the disk, and an attempt costs some microseconds.
   */
  private static final Duration TRY_AGAIN = Duration.ofMillis(25);

  private final RpcContext rpc;
  private final Consumer<MutateStream.Begun> writer;
  private final BiConsumer<MutateStream.Begun, CoordinationException> ender;
  private final Runnable wake;
  private final ArrayDeque<MutateStream.Begun> waiting = new ArrayDeque<>();

  /** By sequence number: the first refusal after a part was applied, or else the last refusal. */
  private final Map<Long, CoordinationException> refusals = new HashMap<>();

  /** The batch that is being written to see whether the node takes it. */
  private MutateStream.@Nullable Begun probe;

  private boolean behind;

  /** Whether the node can take no batch at all, so that none should be tried or read. */
  private boolean stopped;

  private boolean timerRuns;

  /** When the node was last seen to make room, by the monotonic clock. */
  private long caughtUpNanos = Long.MIN_VALUE;

  private volatile boolean due;

  /** What refused a batch last; it also stands for batches that were not written yet. */
  private CoordinationException.Overloaded latest =
      new CoordinationException.Overloaded("the heap for memtables that wait for the disk");

  /**
   * Starts with none.
   *
   * @param writer writes a batch
   * @param ender answers a batch whose time is up with its refusal
   * @param wake has {@link #tryAgainIfDue} called soon; from any thread
   */
  DeferredBatches(
      RpcContext rpc,
      Consumer<MutateStream.Begun> writer,
      BiConsumer<MutateStream.Begun, CoordinationException> ender,
      Runnable wake) {
    this.rpc = rpc;
    this.writer = writer;
    this.ender = ender;
    this.wake = wake;
  }

  /** Whether the node is known to be behind: batches wait, or would have to. */
  boolean isBehind() {
    return behind;
  }

  /** Whether no further batches should be read: the node could take none of them. */
  boolean stopsReading() {
    return behind && stopped;
  }

  /** Takes a batch that was not written yet, if the node is behind. */
  boolean defers(MutateStream.Begun batch) {
    if (stopsReading() || (rpc.store().isBehind() && waitForNode())) {
      waiting.add(batch);
      return true;
    }
    return false;
  }

  /**
   * Learns how an attempt to write a batch ended.
   *
   * @return whether the batch is kept, to be written again
   */
  boolean tried(MutateStream.Begun batch, @Nullable Throwable error) {
    boolean refused = isRefusedForNow(batch, error);
    boolean isProbe = batch.equals(probe);
    boolean keep = refused && timeLeft(batch) > TRY_AGAIN.toNanos() && waitForNode();
    if (keep && isProbe) {
      waiting.addFirst(batch);
    } else if (keep) {
      waiting.add(batch);
    }
    if (isProbe) {
      probe = null;
      if (!refused || !waitForNode()) {
        noLongerBehind();
        endThoseBelow(0);
        removeAll().forEach(writer);
      }
    }
    return keep;
  }

  /**
   * Forgets a batch that failed for good.
   *
   * @return the refusal of an attempt that applied a part of it; null if none did
   */
  @Nullable CoordinationException forget(MutateStream.Begun batch) {
    CoordinationException refusal = refusals.remove(batch.sequence());
    return refusal instanceof CoordinationException.PartlyApplied ? refusal : null;
  }

  /** Ends the batches whose time is up, and writes one to see whether the node takes it. */
  void tryAgainIfDue() {
    if (!due) {
      return;
    }
    due = false;
    timerRuns = false;
    if (!behind) {
      return;
    }
    if (rpc.store().isCatchingUp()) {
      caughtUpNanos = rpc.clock().monotonicNanos();
    }
    endThoseBelow(TRY_AGAIN.toNanos());
    if (probe == null && waiting.isEmpty()) {
      noLongerBehind();
      return;
    }
    boolean again = waitForNode();
    if (probe == null && !(again && rpc.store().isBehind())) {
      MutateStream.Begun first = waiting.remove();
      probe = first;
      writer.accept(first);
    }
  }

  /** Removes all that wait. */
  List<MutateStream.Begun> removeAll() {
    List<MutateStream.Begun> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /**
   * Answers the batches that have no more time than that. They are not written: the write would
   * find that its time is up, and it would not be known that nothing was applied.
   */
  private void endThoseBelow(long nanos) {
    List<MutateStream.Begun> late =
        waiting.stream().filter(batch -> timeLeft(batch) <= nanos).toList();
    waiting.removeAll(late);
    for (MutateStream.Begun batch : late) {
      CoordinationException refusal = refusals.remove(batch.sequence());
      ender.accept(batch, refusal == null ? latest : refusal);
    }
  }

  /** Whether the node may take the batch later. Rows of it that it took are written again then. */
  private boolean isRefusedForNow(MutateStream.Begun batch, @Nullable Throwable error) {
    if (error == null || !(Errors.unwrap(error) instanceof CoordinationException failure)) {
      return false;
    }
    CoordinationException cause =
        failure instanceof CoordinationException.PartlyApplied partly ? partly.refusal() : failure;
    if (!(cause instanceof CoordinationException.Overloaded overloaded)) {
      return false;
    }
    latest = overloaded;
    refusals.merge(
        batch.sequence(),
        failure,
        (before, now) -> before instanceof CoordinationException.PartlyApplied ? before : now);
    return true;
  }

  private long timeLeft(MutateStream.Begun batch) {
    CallContext call = batch.batch().context();
    long now = rpc.clock().monotonicNanos();
    long left = call.deadlineNanos() - now;
    boolean madeRoom = caughtUpNanos != Long.MIN_VALUE;
    return madeRoom && call.callersDeadlineNanos() == Long.MAX_VALUE
        ? Math.max(left, caughtUpNanos + rpc.settings().callTimeout().toNanos() - now)
        : left;
  }

  private void noLongerBehind() {
    behind = false;
    stopped = false;
  }

  /** Sets the timer unless it runs; false if there are too many. */
  private boolean waitForNode() {
    if (!timerRuns) {
      try {
        rpc.scheduler()
            .after(
                TRY_AGAIN,
                Stage.TIMER,
                () -> {
                  due = true;
                  wake.run();
                });
      } catch (RejectedExecutionException tooManyTimers) {
        return false;
      }
      timerRuns = true;
    }
    behind = true;
    stopped |= rpc.store().isBehind();
    return true;
  }
}
