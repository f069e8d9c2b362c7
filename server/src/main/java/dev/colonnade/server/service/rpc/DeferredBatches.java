package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches of a stream that the node did not take, because it is behind with its writes. After a
 * while one of them is written again; once the node takes it, all others are. A batch waits until
 * its deadline at most. For one thread at a time.
 */
final class DeferredBatches {

  /**
   * When to see again whether the node has caught up: a memtable takes a second or more to reach
   * the disk, and an attempt costs some microseconds.
   */
  private static final Duration TRY_AGAIN = Duration.ofMillis(25);

  private final RpcContext rpc;
  private final Consumer<MutateStream.Begun> writer;
  private final Runnable wake;
  private final ArrayDeque<MutateStream.Begun> waiting = new ArrayDeque<>();

  /** The batch that is being written to see whether the node takes it. */
  private MutateStream.@Nullable Begun probe;

  /** While true, a timer runs or a probe is being written. */
  private boolean behind;

  private volatile boolean due;

  /**
   * Starts with none.
   *
   * @param writer writes a batch
   * @param wake has {@link #tryAgainIfDue} called soon; from any thread
   */
  DeferredBatches(RpcContext rpc, Consumer<MutateStream.Begun> writer, Runnable wake) {
    this.rpc = rpc;
    this.writer = writer;
    this.wake = wake;
  }

  /** Whether the node is known to be behind, so that no further batches should be read. */
  boolean isBehind() {
    return behind;
  }

  /** Takes a batch that was not written yet, if the node is behind. */
  boolean defers(MutateStream.Begun batch) {
    if (behind || (rpc.store().isBehind() && waitForNode())) {
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
    boolean refused = isRefusedForNow(error);
    boolean isProbe = batch.equals(probe);
    boolean keep = refused && hasTime(batch) && (behind || waitForNode());
    if (keep && isProbe) {
      waiting.addFirst(batch);
    } else if (keep) {
      waiting.add(batch);
    }
    if (isProbe) {
      probe = null;
      if (!refused || !waitForNode()) {
        behind = false;
        removeAll().forEach(writer);
      }
    }
    return keep;
  }

  /** Writes one batch to see whether the node takes it, and those that have no time to wait. */
  void tryAgainIfDue() {
    if (!due) {
      return;
    }
    due = false;
    List<MutateStream.Begun> late = waiting.stream().filter(one -> !hasTime(one)).toList();
    waiting.removeAll(late);
    if (waiting.isEmpty()) {
      behind = false;
    } else if (!rpc.store().isBehind() || !waitForNode()) {
      MutateStream.Begun first = waiting.remove();
      probe = first;
      writer.accept(first);
    }
    late.forEach(writer);
  }

  /** Removes all that wait. */
  List<MutateStream.Begun> removeAll() {
    List<MutateStream.Begun> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Whether the node may take the batch later. Rows of it that it took are written again then. */
  private static boolean isRefusedForNow(@Nullable Throwable error) {
    Throwable cause = error == null ? null : Errors.unwrap(error);
    if (cause instanceof CoordinationException.PartlyApplied partly) {
      cause = partly.refusal();
    }
    return cause instanceof CoordinationException.Overloaded;
  }

  /** Whether there is time for another attempt. */
  private boolean hasTime(MutateStream.Begun batch) {
    long left = batch.batch().deadlineNanos() - rpc.clock().monotonicNanos();
    return left > TRY_AGAIN.toNanos();
  }

  /** Sets the timer; false if there are too many. */
  private boolean waitForNode() {
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
    behind = true;
    return true;
  }
}
