package dev.colonnade.server.engine;

import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.memtable.MemtableRow;
import dev.colonnade.server.model.Atom;
import dev.colonnade.server.model.AtomCursor;
import dev.colonnade.server.model.MergingCursor;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.sstable.SSTable;
import dev.colonnade.server.sstable.SSTableWriter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
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
  private final Consumer<FamilyStore> afterFlush;

  Flusher(Clock clock, Scheduler scheduler, LiveFiles live, Consumer<FamilyStore> afterFlush) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.live = live;
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
    List<FamilyView.Flushing> waiting = store.view().flushing();
    if (waiting.isEmpty() || store.isDropped()) {
      store.endFlush();
      return;
    }
    FamilyView.Flushing oldest = waiting.get(0);
    SSTable written;
    try {
      written = write(store, oldest);
    } catch (IOException | RuntimeException | LinkageError e) {
      // A missing class or JVM flag shows first where the off-heap index is opened.
      failed(store, e);
      return;
    }
    var unused =
        live.flushed(store, oldest, written)
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    failed(store, failure);
                    return;
                  }
                  store.endFlush();
                  afterFlush.accept(store);
                  request(store);
                });
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
  }

  private @Nullable SSTable write(FamilyStore store, FamilyView.Flushing flushing)
      throws IOException {
    long nowSeconds = clock.wallSeconds();
    try (SSTableWriter writer = live.newFile(store)) {
      for (Map.Entry<RowKey, MemtableRow> row : flushing.memtable().rows().entrySet()) {
        writeRow(store, row.getKey(), row.getValue().state(), nowSeconds, writer);
      }
      return writer.rows() == 0 ? null : writer.finish();
    }
  }

  private static void writeRow(
      FamilyStore store, RowKey key, RowState state, long nowSeconds, SSTableWriter writer)
      throws IOException {
    AtomCursor cursor =
        MergingCursor.of(
            List.of(state.cursor(PathRange.ALL, false, store.order())),
            store.order(),
            false,
            nowSeconds);
    writer.startRow(key, cursor.rowDeletion(), cursor.open());
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      writer.add(atom);
    }
    writer.endRow();
  }
}
