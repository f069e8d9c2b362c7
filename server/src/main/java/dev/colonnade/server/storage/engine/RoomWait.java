package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.LogPosition;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
 * <p>{@link #mustWait} and {@link #mustRefuse} belong to the draining thread and throw nothing: it
 * must release the queue. Everything else is thread-safe.
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

  /** Counts the waits, so that the timer of one that has ended does not end the next one. */
  private final AtomicLong waits = new AtomicLong(1);

  /** The last wait that took too long. */
  private final AtomicLong overdueWait = new AtomicLong();

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
    if (hasRoom(reached)) {
      end();
      return false;
    }
    if (isOverdue() || !hasTimer()) {
      overdue(waits.get());
      return false;
    }
    waiting.set(true);
    // Another thread may drain from here on. Room that appeared just before must not be missed.
    return !((isOverdue() || !target.isFull()) && waiting.compareAndSet(true, false));
  }

  /** Whether writes are to be refused, because there was no room for too long and is none now. */
  boolean mustRefuse(LogPosition reached) {
    return isOverdue() && !hasRoom(reached);
  }

  /** Whether the wait took too long, so that writes are to be refused until there is room. */
  boolean isOverdue() {
    return overdueWait.get() == waits.get();
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

  /** A flush that cannot be begun makes no room; it is asked for again when there may be some. */
  private boolean hasRoom(LogPosition reached) {
    try {
      return target.hasRoom(reached);
    } catch (RuntimeException | Error e) {
      Errors.report("could not begin a flush to make room for writes, which wait", e);
      return false;
    }
  }

  private void end() {
    Scheduler.Cancellable running = timer;
    if (running != null || isOverdue()) {
      waits.incrementAndGet();
      timer = null;
    }
    if (running != null) {
      running.cancel();
    }
  }

  /** Starts the time of the limit with the first wait; false if it cannot be measured. */
  private boolean hasTimer() {
    if (timer == null) {
      long timed = waits.get();
      try {
        timer = scheduler.after(LIMIT, Stage.TIMER, () -> limitReached(timed));
      } catch (RejectedExecutionException tooManyTimers) {
        return false;
      } catch (RuntimeException | Error e) {
        Errors.report("could not limit the time for which writes wait; they are refused", e);
        return false;
      }
    }
    return true;
  }

  private void limitReached(long timed) {
    overdue(timed);
    lookAgain();
  }

  private void overdue(long one) {
    overdueWait.accumulateAndGet(one, Math::max);
  }
}
