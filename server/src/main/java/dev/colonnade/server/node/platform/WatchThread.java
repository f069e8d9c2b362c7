package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Futures;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs one task periodically on a daemon thread of its own, because what watches the stages must
 * not run on one of them.
 */
public final class WatchThread implements AutoCloseable {
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, StagePool.threads("colonnade-watchdog"));

  private WatchThread() {
    thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
  }

  /**
   * Starts; the first run is after one period.
   *
   * @param look throws nothing
   */
  public static WatchThread start(Duration period, Runnable look) {
    WatchThread started = new WatchThread();
    Futures.ignore(
        started.thread.scheduleWithFixedDelay(
            look, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS));
    return started;
  }

  /** Stops it after the current run. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
