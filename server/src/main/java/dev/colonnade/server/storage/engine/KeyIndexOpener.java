package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the key indexes of a store's files after its start, which may require rebuilding them from
 * the data. One after another for each family, so that a family takes one place of the compaction
 * stage's queue and compactions get their turn in between; if the queue is full, it tries again
 * later.
 *
 * <p>Thread-safe.
 */
final class KeyIndexOpener {

  private static final Logger LOG = LoggerFactory.getLogger(KeyIndexOpener.class);

  /** There is no hurry: until an index is open the sparse one serves instead. */
  static final Duration RETRY_DELAY = Duration.ofSeconds(1);

  private final Scheduler scheduler;
  private final DamageListener damage;
  private volatile boolean stopped;

  KeyIndexOpener(Scheduler scheduler, DamageListener damage) {
    this.scheduler = scheduler;
    this.damage = damage;
  }

  /**
   * Begins to load what the first key index of a process needs: otherwise the first flush of a load
   * would wait for it, and writes for the flush.
   */
  void warmUp(KeyIndexes indexes) {
    boolean queued =
        scheduler.submit(
            Stage.COMPACTION,
            () -> {
              try {
                indexes.warmUp();
              } catch (IOException | RuntimeException | LinkageError e) {
                LOG.warn("could not try a key index; the first flush may have none", e);
              }
            });
    if (!queued) {
      LOG.debug("the first key index is made without preparation");
    }
  }

  /** Begins to open the key indexes of all files that the family has now. */
  void openAll(ColumnFamilyStore store) {
    openNext(store, new ArrayDeque<>(store.view().tables()));
  }

  /** Opens no further index. */
  void stop() {
    stopped = true;
  }

  private void openNext(ColumnFamilyStore store, Queue<SSTable> rest) {
    if (rest.isEmpty() || stopped) {
      return;
    }
    Runnable step =
        () -> {
          try {
            open(store, rest.remove());
          } finally {
            openNext(store, rest);
          }
        };
    if (scheduler.submit(Stage.COMPACTION, step)) {
      return;
    }
    try {
      scheduler.after(RETRY_DELAY, Stage.TIMER, () -> openNext(store, rest));
    } catch (RejectedExecutionException full) {
      LOG.warn(
          "cannot schedule the opening of {} key indexes of {}; the sparse indexes are used until"
              + " the next start",
          rest.size(),
          store.definition().name(),
          full);
    }
  }

  private void open(ColumnFamilyStore store, SSTable table) {
    if (!table.retain()) {
      return;
    }
    try {
      table.openKeyIndex();
    } catch (CorruptFileException damaged) {
      damage.found(store, damaged);
    } catch (IOException | RuntimeException | LinkageError e) {
      // A missing class or flag of the Java machine shows first where the off-heap index is opened.
      LOG.warn(
          "no key index for data file {} of {}; the sparse index is used instead",
          table.identity().generation(),
          table.identity().directory(),
          e);
    } finally {
      table.release();
    }
  }
}
