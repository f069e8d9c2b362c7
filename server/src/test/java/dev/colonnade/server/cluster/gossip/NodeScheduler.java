package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One process's share of the world's event queue: it can be paused, and killed. */
final class NodeScheduler implements Scheduler {

  private final Scheduler world;
  private final List<Runnable> held = new ArrayList<>();
  private boolean paused;
  private boolean killed;

  NodeScheduler(Scheduler world) {
    this.world = world;
  }

  /** From now on nothing runs; what becomes due waits, as in a process that is stopped. */
  void pause() {
    paused = true;
  }

  void resume() {
    paused = false;
    List<Runnable> due = List.copyOf(held);
    held.clear();
    due.forEach(this::run);
  }

  void kill() {
    killed = true;
    held.clear();
  }

  void run(Runnable task) {
    if (killed) {
      return;
    }
    if (paused) {
      held.add(task);
    } else {
      task.run();
    }
  }

  @Override
  public boolean submit(Stage stage, Runnable task) {
    return world.submit(stage, () -> run(task));
  }

  @Override
  public Cancellable after(Duration delay, Stage stage, Runnable task) {
    return world.after(delay, stage, () -> run(task));
  }

  @Override
  public Cancellable every(Duration period, Stage stage, Runnable task) {
    boolean[] queued = new boolean[1];
    return world.every(
        period,
        stage,
        () -> {
          if (!queued[0]) {
            queued[0] = true;
            run(
                () -> {
                  queued[0] = false;
                  task.run();
                });
          }
        });
  }

  @Override
  public @Nullable Stage current() {
    return world.current();
  }

  @Override
  public List<StageFigures> figures() {
    return world.figures();
  }

  @Override
  public void report(Observer observer) {
    world.report(observer);
  }
}
