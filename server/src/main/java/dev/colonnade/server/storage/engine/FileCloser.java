package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Closes and deletes data files that are no longer used, away from the thread that used them last,
 * which may be an event loop. There are never more to close than there are data files.
 *
 * <p>Thread-safe; {@link #accept} does not block once the store is open.
 */
final class FileCloser implements Consumer<Runnable> {
  private final Scheduler scheduler;
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private volatile boolean opened;

  FileCloser(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * From now on other threads may use files. Until then the thread that opens the store closes them
   * itself.
   */
  void opened() {
    opened = true;
  }

  @Override
  public void accept(Runnable closing) {
    waiting.add(closing);
    if (!opened) {
      closeAll();
    } else {
      // If the stage is full, the next call or the store's background tasks close the files.
      scheduler.submit(Stage.COMPACTION, this::closeAll);
    }
  }

  /** Closes all waiting files. Blocks. */
  void closeAll() {
    for (Runnable closing = waiting.poll(); closing != null; closing = waiting.poll()) {
      closing.run();
    }
  }
}
