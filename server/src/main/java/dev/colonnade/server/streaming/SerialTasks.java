package dev.colonnade.server.streaming;

import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of one stream on a stage that has several threads: in the order they came, one at a time,
 * and after each the thread is given back.
 */
final class SerialTasks {
  private static final Duration RETRY_DELAY = Duration.ofMillis(50);

  private final Scheduler scheduler;
  private final Stage stage;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean queued;

  SerialTasks(Scheduler scheduler, Stage stage) {
    this.scheduler = scheduler;
    this.stage = stage;
  }

  /** Runs the task after those that came before. Tasks must not throw. */
  void run(Runnable task) {
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
      var unused = scheduler.after(delay, stage, () -> run(task));
    }
  }

  private void queue() {
    if (!scheduler.submit(stage, this::runOne)) {
      // A full queue passes; after the end of the scheduler nothing happens any more.
      var unused = scheduler.after(RETRY_DELAY, stage, this::runOne);
    }
  }

  private void runOne() {
    Runnable task = first();
    try {
      if (task != null) {
        task.run();
      }
    } finally {
      if (hasMore()) {
        queue();
      }
    }
  }

  private synchronized @Nullable Runnable first() {
    return tasks.peekFirst();
  }

  private synchronized boolean hasMore() {
    tasks.pollFirst();
    queued = !tasks.isEmpty();
    return queued;
  }
}
