package dev.colonnade.server.rpc;

import dev.colonnade.server.async.FairQueue;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;

/**
 * Hands work to {@link Stage#LARGE} so that each connection gets its share of the stage, by bytes:
 * a large request of one connection waits for a turn of each other one, and not for all that they
 * have queued. Thread-safe.
 */
final class LargeTurns {

  /** The longest answer: one fits a turn, or many shorter ones. */
  private static final long TURN_BYTES = 2 << 20;

  /** Half of what the stage queues: one connection alone cannot fill it. */
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
   * @param connection whose share of the stage it takes
   * @param bytes of the request or the answer, about
   * @return false if the stage, or the connection's part of it, is full; the task will not run then
   */
  boolean submit(Object connection, long bytes, Runnable task) {
    synchronized (queue) {
      if (!queue.offer(connection, bytes, task)) {
        return false;
      }
      // One place of the stage for each task. Which task it is shows when its turn comes, and not
      // before this one is counted, so that it can be taken back.
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
