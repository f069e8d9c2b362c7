package dev.colonnade.server.engine;

import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.manifest.ManifestBrokenException;
import dev.colonnade.server.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes memtables to data files, one at a time for each family, the oldest first, so that the log
 * position up to which a family is on disk only ever grows. A flush that fails leaves the memtable
 * where it is and is tried again.
 *
 * <p>Thread-safe.
 */
final class Flusher {

  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  /** Between a failed flush (a full disk, most likely) and the next try. */
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  private final Clock clock;
  private final Scheduler scheduler;
  private final LiveFiles live;
  private final DiskRoom room;
  private final Consumer<FamilyStore> afterFlush;

  Flusher(
      Clock clock,
      Scheduler scheduler,
      LiveFiles live,
      DiskRoom room,
      Consumer<FamilyStore> afterFlush) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.live = live;
    this.room = room;
    this.afterFlush = afterFlush;
  }

  /** Sees to it that what the family has to flush is flushed. */
  void request(FamilyStore store) {
    if (store.view().flushing().isEmpty() || !store.beginFlush()) {
      return;
    }
    if (!scheduler.submit(Stage.FLUSH, () -> flushOldest(store))) {
      store.endFlush();
      retryLater(store);
    }
  }

  private void retryLater(FamilyStore store) {
    scheduler.after(RETRY_DELAY, Stage.FLUSH, () -> request(store));
  }

  private void flushOldest(FamilyStore store) {
    if (store.isDropped()) {
      store.endFlush();
      store.forgetMemtables();
      return;
    }
    List<FamilyView.Flushing> waiting = store.view().flushing();
    if (waiting.isEmpty()) {
      store.endFlush();
      return;
    }
    FamilyView.Flushing oldest = waiting.get(0);
    SSTable written;
    try {
      // Heap is more than a file takes; one that surely does not fit is not begun.
      room.requireForFlush(oldest.memtable().heapBytes() / 2);
      written = MemtableFile.write(oldest.memtable(), store.order(), now(), live.newFile(store));
    } catch (IOException | RuntimeException | LinkageError e) {
      // A missing class or JVM flag shows first where the off-heap index is opened.
      failed(store, e);
      return;
    }
    var unused =
        live.flushed(store, oldest, written)
            .whenComplete(
                (done, failure) -> {
                  if (failure instanceof ManifestBrokenException) {
                    broken(store, failure);
                    return;
                  }
                  if (failure != null) {
                    failed(store, failure);
                    return;
                  }
                  store.endFlush();
                  afterFlush.accept(store);
                  request(store);
                });
  }

  private long now() {
    return clock.wallSeconds();
  }

  private void failed(FamilyStore store, Throwable cause) {
    LOG.error(
        "could not write a memtable of {} to disk; its data is safe in the commit log and in"
            + " memory, and the flush is tried again in {} s",
        store.definition().qualifiedName(),
        RETRY_DELAY.toSeconds(),
        cause);
    store.endFlush();
    retryLater(store);
    // Those behind it have to wait as well.
    store.view().flushing().forEach(memtable -> memtable.outcome().failed(cause));
  }

  /** Without a manifest no file can become live: whoever waits is told, and nothing is retried. */
  private static void broken(FamilyStore store, Throwable cause) {
    LOG.error(
        "memtables of {} can no longer become data files; their data is safe in the commit log",
        store.definition().qualifiedName(),
        cause);
    for (FamilyView.Flushing waiting : store.view().flushing()) {
      waiting.outcome().gaveUp(cause);
    }
    store.endFlush();
  }
}
