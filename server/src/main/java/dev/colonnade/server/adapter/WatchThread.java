package dev.colonnade.server.adapter;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Does one thing again and again, on a daemon thread that nothing else has: what looks after the
 * stages must not run on one of them.
 */
public final class WatchThread implements AutoCloseable {
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, StagePool.threads("colonnade-watchdog"));

  private WatchThread() {
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /**
   * Begins, after one period.
   *
   * @param look throws nothing
   */
  public static WatchThread start(Duration period, Runnable look) {
    WatchThread started = new WatchThread();
    var unused =
        started.thread.scheduleWithFixedDelay(
            look, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    return started;
  }

  /** Ends it, after the run that is under way. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
