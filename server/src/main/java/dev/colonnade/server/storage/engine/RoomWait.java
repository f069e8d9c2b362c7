package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.LogPosition;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets queued writes wait while memtables take all the heap that they may, until a flush has made
 * room. Writes that are refused meanwhile would come again at once, so they wait as long as flushes
 * get on, each until shortly before its caller gives up. But a disk that hangs makes no room: when
 * flushes have made no progress for {@link #STILL_LIMIT}, the writes that wait are refused, and
 * further ones at once, until flushes go on or there is room.
 *
 * <p>No thread waits: the draining thread leaves the queue as it is and goes, and what makes room,
 * or a look at the time, makes draining go on.
 *
 * <p>{@link #isShort}, {@link #begin} and {@link #mustRefuse} belong to the draining thread and
 * throw nothing: it must release the queue. Everything else is thread-safe.
 */
final class RoomWait {

  /**
   * How long flushes may stand still before writes no longer wait for them. Less than the time that
   * a request has by default, so that its caller is told that the write was refused, and does not
   * have to wonder what became of it. A write without a deadline waits as long.
   */
  static final Duration STILL_LIMIT = Duration.ofSeconds(5);

  /** How often waiting writes are looked at: whether their time is up, or flushes stand still. */
  private static final Duration LOOK_PERIOD = Duration.ofMillis(250);

  /** A write is refused this long before its deadline, so that the refusal arrives in time. */
  private static final long MARGIN_NANOS = LOOK_PERIOD.multipliedBy(2).toNanos();

  private final MutationApplier target;
  private final Scheduler scheduler;
  private final Runnable goOn;
  private final AtomicBoolean waiting = new AtomicBoolean();

  /** Whether the next look could not be scheduled, so that nothing may wait for it. */
  private volatile boolean unwatched;

  /** The next look; null if none is due. Volatile because a look removes itself. */
  private volatile @Nullable Look next;

  /** A look at what waits. One that was cancelled too late does nothing. */
  private final class Look implements Runnable {
    @Override
    public void run() {
      if (next == this) {
        next = null;
        lookAgain();
      }
    }
  }

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
   * Until when a write may wait for room.
   *
   * @param deadlineNanos when its caller gives up, by the monotonic clock; {@link Long#MAX_VALUE}
   *     for never
   */
  static long until(long nowNanos, long deadlineNanos) {
    return deadlineNanos == Long.MAX_VALUE
        ? nowNanos + STILL_LIMIT.toNanos()
        : deadlineNanos - MARGIN_NANOS;
  }

  /**
   * Whether there is no room for writes, but some to be expected.
   *
   * @param reached the position of the log up to which everything is applied
   */
  boolean isShort(LogPosition reached) {
    if (hasRoom(reached)) {
      unwatched = false;
      next = null;
      return false;
    }
    return !isOverdue() && isWatched();
  }

  /**
   * Begins to wait. If so the draining thread must leave the queue, which stays its own until
   * draining goes on.
   *
   * @return false if there may be room again, or none is to be expected
   */
  boolean begin() {
    waiting.set(true);
    // Another thread may drain from here on. Room that appeared just before must not be missed.
    return !((isOverdue() || !target.isFull()) && end());
  }

  /** Ends the wait; false if another thread has, which drains now. */
  boolean end() {
    return waiting.compareAndSet(true, false);
  }

  /** Whether writes are to be refused, because there is no room and none to be expected. */
  boolean mustRefuse(LogPosition reached) {
    return isOverdue() && !hasRoom(reached);
  }

  /** Whether no room is to be expected, so that writes are to be refused until there is some. */
  boolean isOverdue() {
    return unwatched || target.isStuck();
  }

  /** Whether the queue waits at this moment. */
  boolean isWaiting() {
    return waiting.get();
  }

  /** There may be room again: draining goes on if it waited. */
  void lookAgain() {
    if (end()) {
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

  /** Has waiting writes looked at again soon; false if that is not possible. */
  private boolean isWatched() {
    if (next == null) {
      Look look = new Look();
      next = look;
      try {
        scheduler.after(LOOK_PERIOD, Stage.TIMER, look);
      } catch (RejectedExecutionException tooManyTimers) {
        unwatched = true;
      } catch (RuntimeException | Error e) {
        Errors.report("could not limit the time for which writes wait; they are refused", e);
        unwatched = true;
      }
      if (unwatched) {
        next = null;
      }
    }
    return !unwatched;
  }
}
