package dev.colonnade.server.base.env;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs deferred work on named stages. In production stages are bounded thread pools, in simulation
 * one event queue on virtual time.
 *
 * <p>Thread-safe. Tasks must not throw; what they throw is logged and counted by the scheduler. It
 * reports running tasks as work, by stage and thread.
 */
public interface Scheduler extends Watched {

  /**
   * Queues {@code task}. Never blocks.
   *
   * @return false when the stage's queue is full or the scheduler is shut down; the task will not
   *     run then
   */
  boolean submit(Stage stage, Runnable task);

  /**
   * Queues {@code task} on {@code stage} after {@code delay}. If the stage's queue is full then, it
   * is tried again; after shutdown nothing happens.
   *
   * @throws java.util.concurrent.RejectedExecutionException if too many delayed tasks are waiting
   *     already
   */
  Cancellable after(Duration delay, Stage stage, Runnable task);

  /**
   * Queues {@code task} every {@code period}, first after one period. A run that is still queued is
   * not queued again, and one that finds the queue full is left out.
   *
   * @throws java.util.concurrent.RejectedExecutionException if too many delayed tasks are waiting
   *     already
   */
  Cancellable every(Duration period, Stage stage, Runnable task);

  /**
   * The stage whose task the calling thread runs; null on a thread of no stage of this scheduler,
   * such as an event loop.
   */
  @Nullable Stage current();

  /** Figures of each stage, in the order of {@link Stage}. */
  List<StageFigures> figures();

  /** A handle to work that has not run yet. */
  interface Cancellable {
    /** Prevents further runs; a run that has begun goes on. Idempotent. */
    void cancel();
  }

  /**
   * The figures of one stage.
   *
   * @param active tasks running now
   * @param pending tasks queued
   * @param completed tasks finished since start
   * @param rejected tasks refused because the queue was full
   * @param failed tasks among the completed ones that threw
   * @param still the longest time for which any running task has made no progress; each file
   *     operation that ends counts as progress
   */
  record StageFigures(
      Stage stage,
      int active,
      int pending,
      long completed,
      long rejected,
      long failed,
      Duration still) {}
}
