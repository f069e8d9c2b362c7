package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.LogPosition;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets queued writes wait while memtables take all the heap that they may, until a flush has made
 * room. A flush takes a moment, and writes that are refused meanwhile would come again at once. But
 * a disk that hangs, or that is far behind, makes no room in time: after {@link #LIMIT} the writes
 * that wait are refused, and further ones at once, until there is room again.
 *
 * <p>No thread waits: the draining thread leaves the queue as it is and goes, and what makes room,
 * or the limit, makes draining go on.
 *
 * <p>{@link #mustWait} belongs to the draining thread; everything else is thread-safe.
 */
final class RoomWait {

  /**
   * Less than the time that a request has by default: its caller is told that the write was
   * refused, and does not have to wonder what became of it.
   */
  static final Duration LIMIT = Duration.ofSeconds(5);

  private final MutationApplier target;
  private final Scheduler scheduler;
  private final Runnable goOn;
  private final AtomicBoolean waiting = new AtomicBoolean();
  private volatile boolean overdue;
  private Scheduler.@Nullable Cancellable timer;

  /**
   * Starts with room.
   *
   * @param target has the memtables
   * @param goOn makes draining go on, on a thread of its own choice
   */
  RoomWait(MutationApplier target, Scheduler scheduler, Runnable goOn) {
    this.target = target;
    this.scheduler = scheduler;
    this.goOn = goOn;
  }

  /**
   * Whether writes have to wait. If so the draining thread must leave the queue, which stays its
   * own until draining goes on.
   *
   * @param reached the position of the log up to which everything is applied
   */
  boolean mustWait(LogPosition reached) {
    if (target.hasRoom(reached)) {
      end();
      return false;
    }
    if (overdue || !hasTimer()) {
      overdue = true;
      return false;
    }
    waiting.set(true);
    // Another thread may drain from here on. Room that appeared just before must not be missed.
    return !((overdue || !target.isFull()) && waiting.compareAndSet(true, false));
  }

  /** Whether the wait took too long, so that writes are to be refused until there is room. */
  boolean isOverdue() {
    return overdue;
  }

  /** Whether the queue waits at this moment. */
  boolean isWaiting() {
    return waiting.get();
  }

  /** There may be room again: draining goes on if it waited. */
  void lookAgain() {
    if (waiting.compareAndSet(true, false)) {
      goOn.run();
    }
  }

  private void end() {
    overdue = false;
    Scheduler.Cancellable running = timer;
    if (running != null) {
      running.cancel();
      timer = null;
    }
  }

  /** Starts the time of the limit with the first wait; false if it cannot be measured. */
  private boolean hasTimer() {
    if (timer == null) {
      try {
        timer = scheduler.after(LIMIT, Stage.TIMER, this::limitReached);
      } catch (RejectedExecutionException tooManyTimers) {
        return false;
      }
    }
    return true;
  }

  private void limitReached() {
    overdue = true;
    lookAgain();
  }
}
