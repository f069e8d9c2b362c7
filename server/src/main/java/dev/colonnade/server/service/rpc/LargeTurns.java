package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.FairQueue;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;

/**
 * Submits work to {@link Stage#LARGE} with fair shares by bytes for each connection: a large
 * request waits for one turn of each other connection, not for everything that they have queued.
 * Thread-safe.
 */
final class LargeTurns {

  /** The bytes of a turn: one full page, or many shorter answers; a longer one counts as a page. */
  private static final long TURN_BYTES = 2 << 20;

  /** Half of the stage's queue, so that one connection alone cannot fill it. */
  private static final int PLACES_PER_CONNECTION = 512;

  private final Scheduler scheduler;
  private final FairQueue<Object, Runnable> queue =
      new FairQueue<>(TURN_BYTES, PLACES_PER_CONNECTION);

  LargeTurns(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Queues a task.
   *
   * @param connection whose share of the stage it uses
   * @param bytes of the request or the answer, about
   * @return false if the stage, or the connection's part of it, is full; the task will not run then
   */
  boolean submit(Object connection, long bytes, Runnable task) {
    synchronized (queue) {
      if (!queue.offer(connection, bytes, task)) {
        return false;
      }
      // Takes one place of the stage for each task. The task that runs is chosen when the turn
      // comes, and not before this one is counted, so that it can be taken back.
      if (!scheduler.submit(Stage.LARGE, this::next)) {
        queue.takeBack(connection, task);
        return false;
      }
      return true;
    }
  }

  private void next() {
    Runnable task;
    synchronized (queue) {
      task = queue.poll();
    }
    if (task != null) {
      task.run();
    }
  }
}
