package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the tasks of one stream, or one load, on a stage that has several threads: in the order of
 * their submission, one at a time, giving the thread back after each. What a task throws is
 * reported to the stream, and does not keep the next one from running.
 */
public final class SerialTasks {
  private static final Logger LOG = LoggerFactory.getLogger(SerialTasks.class);
  private static final Duration RETRY_DELAY = Duration.ofMillis(50);

  private final Scheduler scheduler;
  private final Stage stage;
  private final Consumer<Throwable> failed;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean queued;
  private long ran;

  /**
   * Starts without tasks.
   *
   * @param failed hears what a task threw, before the next one runs
   */
  public SerialTasks(Scheduler scheduler, Stage stage, Consumer<Throwable> failed) {
    this.scheduler = scheduler;
    this.stage = stage;
    this.failed = failed;
  }

  /** Runs the task after those that came before. */
  public void run(Runnable task) {
    synchronized (this) {
      tasks.add(task);
      if (queued) {
        return;
      }
      queued = true;
    }
    queue();
  }

  /** Runs the task once the delay has passed. */
  void runAfter(Duration delay, Runnable task) {
    if (delay.isZero()) {
      run(task);
    } else {
      scheduler.after(delay, stage, () -> run(task));
    }
  }

  private void queue() {
    if (scheduler.submit(stage, this::runOne)) {
      return;
    }
    try {
      // A full queue is temporary; after the end of the scheduler nothing runs any more.
      scheduler.after(RETRY_DELAY, stage, this::runOne);
    } catch (RejectedExecutionException noTimer) {
      LOG.warn("cannot schedule the tasks of a stream; its next task will run them", noTimer);
      rest();
    }
  }

  private synchronized void rest() {
    queued = false;
  }

  private void runOne() {
    Runnable task = first();
    try {
      if (task != null) {
        task.run();
      }
    } catch (RuntimeException | Error e) {
      report(Errors.escalate(e));
    } finally {
      if (hasMore()) {
        queue();
      }
    }
  }

  private void report(Throwable thrown) {
    try {
      failed.accept(thrown);
    } catch (RuntimeException | Error e) {
      Errors.report("a stream could not be ended after " + thrown, e);
    }
  }

  /** How many tasks have run. */
  synchronized long ran() {
    return ran;
  }

  /** Whether a task runs, or waits for its turn. */
  public synchronized boolean isAtWork() {
    return !tasks.isEmpty();
  }

  private synchronized @Nullable Runnable first() {
    return tasks.peekFirst();
  }

  private synchronized boolean hasMore() {
    tasks.pollFirst();
    ran++;
    queued = !tasks.isEmpty();
    return queued;
  }
}
