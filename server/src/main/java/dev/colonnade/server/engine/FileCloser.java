package dev.colonnade.server.engine;

import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Closes and deletes data files that nobody uses any more, away from whoever used them last, which
 * may be an event loop. There are never more to close than there are data files.
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

  /** From now on others may use files. Until then whoever opens the store closes them himself. */
  void opened() {
    opened = true;
  }

  @Override
  public void accept(Runnable closing) {
    waiting.add(closing);
    if (!opened) {
      closeAll();
    } else {
      // Where the stage is full, the next one takes it along, or who looks after the store does.
      var unused = scheduler.submit(Stage.COMPACTION, this::closeAll);
    }
  }

  /** Closes what waits. Blocks. */
  void closeAll() {
    for (Runnable closing = waiting.poll(); closing != null; closing = waiting.poll()) {
      closing.run();
    }
  }
}
