package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Stages that run their tasks at once on the caller's thread, so that a test need not wait, or on
 * request. Delayed and periodic tasks run on request. For one thread.
 */
final class DirectScheduler implements Scheduler {

  private final Queue<Runnable> held = new ArrayDeque<>();
  private final List<Runnable> periodic = new ArrayList<>();
  private @Nullable Stage current;
  private boolean holding;
  private boolean full;
  private int submitted;

  /** Tasks wait from now on until {@link #runHeld}. */
  void hold() {
    holding = true;
  }

  /** Tasks are refused from now on. */
  void refuse() {
    full = true;
  }

  /** How many tasks wait, delayed ones included. */
  int waiting() {
    return held.size();
  }

  /** How many tasks there were. */
  int submitted() {
    return submitted;
  }

  /** Runs the waiting tasks, delayed ones included, and the tasks that these submit. */
  void runHeld() {
    Runnable next = held.poll();
    while (next != null) {
      next.run();
      next = held.poll();
    }
  }

  /** Runs the waiting tasks, and not those that these submit. */
  void runDelayed() {
    List<Runnable> due = List.copyOf(held);
    held.clear();
    due.forEach(Runnable::run);
  }

  /** Runs every periodic task once. */
  void tick() {
    periodic.forEach(Runnable::run);
  }

  @Override
  public boolean submit(Stage stage, Runnable task) {
    if (full) {
      return false;
    }
    submitted++;
    if (holding) {
      held.add(() -> run(stage, task));
    } else {
      run(stage, task);
    }
    return true;
  }

  private void run(Stage stage, Runnable task) {
    Stage before = current;
    current = stage;
    try {
      task.run();
    } finally {
      current = before;
    }
  }

  @Override
  public Cancellable after(Duration delay, Stage stage, Runnable task) {
    Runnable later = () -> run(stage, task);
    held.add(later);
    return () -> held.remove(later);
  }

  @Override
  public Cancellable every(Duration period, Stage stage, Runnable task) {
    periodic.add(() -> run(stage, task));
    return () -> {};
  }

  @Override
  public @Nullable Stage current() {
    return current;
  }

  @Override
  public List<StageFigures> figures() {
    return List.of();
  }

  @Override
  public void report(Observer observer) {
    // No task runs between two calls of a test.
  }
}
