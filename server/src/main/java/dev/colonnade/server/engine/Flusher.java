package dev.colonnade.server.engine;

import dev.colonnade.server.async.Claim;
import dev.colonnade.server.async.Errors;
import dev.colonnade.server.async.Then;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.env.Watched;
import dev.colonnade.server.health.Condition;
import dev.colonnade.server.health.Health;
import dev.colonnade.server.health.Impact;
import dev.colonnade.server.manifest.ManifestBrokenException;
import dev.colonnade.server.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes memtables to data files, one at a time for each family, the oldest first, so that the log
 * position up to which a family is on disk only ever grows. A flush that fails leaves the memtable
 * where it is and is tried again; one of a family with very many files waits for its merges, so
 * that in the end writes are refused rather than reads made ever slower.
 *
 * <p>Thread-safe.
 */
final class Flusher {

  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  /** Between a failed flush (a full disk, most likely) and the next try. */
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  private final Scheduler scheduler;
  private final LiveFileSet liveFiles;
  private final DiskSpaceGuard diskSpace;
  private final Health health;
  private final int familyFilesMax;
  private final Consumer<ColumnFamilyStore> afterFlush;

  /** Families whose flushes wait until merges have left fewer files. */
  private final Set<ColumnFamilyStore> waiting = ConcurrentHashMap.newKeySet();

  /** How far each flush is that has begun, for the watchdog. */
  private final Map<ColumnFamilyStore, AtomicLong> running = new ConcurrentHashMap<>();

  Flusher(
      Scheduler scheduler,
      LiveFileSet liveFiles,
      DiskSpaceGuard diskSpace,
      Health health,
      int familyFilesMax,
      Consumer<ColumnFamilyStore> afterFlush) {
    this.scheduler = scheduler;
    this.liveFiles = liveFiles;
    this.diskSpace = diskSpace;
    this.health = health;
    this.familyFilesMax = familyFilesMax;
    this.afterFlush = afterFlush;
  }

  /** Sees to it that what the family has to flush is flushed. */
  void request(ColumnFamilyStore store) {
    if (store.view().flushing().isEmpty()) {
      return;
    }
    if (hasTooManyFiles(store)) {
      waiting.add(store);
      return;
    }
    Claim flush = store.beginFlush();
    if (flush == null) {
      return;
    }
    boolean queued = false;
    try {
      queued = scheduler.submit(Stage.FLUSH, () -> flushOldest(store, flush));
    } finally {
      if (!queued) {
        flush.close();
        retryLater(store);
      }
    }
  }

  /**
   * Whether a merge has to make the files fewer before another one comes. Not where nothing is
   * merged, for want of room or because it is switched off: the wait would have no end. And not
   * where somebody waits for the flush, or the log for its space.
   */
  private boolean hasTooManyFiles(ColumnFamilyStore store) {
    FamilyVersion view = store.view();
    return view.tables().size() >= familyFilesMax
        && store.merges().count() > 0
        && !store.isDropped()
        && view.flushing().stream()
            .noneMatch(
                memtable ->
                    memtable.reason() == FlushReason.DEMAND || memtable.outcome().isAwaited());
  }

  /** Looks again at flushes that wait for merges; to be called now and then. */
  void lookAtWaiting() {
    for (ColumnFamilyStore store : List.copyOf(waiting)) {
      waiting.remove(store);
      request(store);
    }
  }

  private void retryLater(ColumnFamilyStore store) {
    try {
      scheduler.after(RETRY_DELAY, Stage.FLUSH, () -> request(store));
    } catch (RejectedExecutionException full) {
      LOG.warn(
          "no timer for another flush of {}; it is tried again with the next one",
          store.definition().qualifiedName(),
          full);
    }
  }

  /** Says which flushes have begun, and how they move. */
  void report(Watched.Observer observer) {
    running.forEach(
        (store, steps) ->
            observer.inTurns(
                "flush",
                store.definition().qualifiedName(),
                steps.get(),
                () -> store.view().flushing().size() + " memtables wait to become files"));
  }

  private void flushOldest(ColumnFamilyStore store, Claim turn) {
    AtomicLong steps = new AtomicLong();
    running.put(store, steps);
    Claim flush =
        Claim.of(
            () -> {
              running.remove(store);
              turn.close();
            });
    try {
      if (store.isDropped()) {
        flush.close();
        store.forgetMemtables();
        return;
      }
      List<FamilyVersion.Flushing> waiting = store.view().flushing();
      if (waiting.isEmpty()) {
        flush.close();
        return;
      }
      FamilyVersion.Flushing oldest = waiting.get(0);
      // Heap is more than a file takes; one that surely does not fit is not begun.
      diskSpace.requireForFlush(oldest.memtable().heapBytes() / 2);
      SSTable written =
          MemtableFile.write(oldest.memtable(), store.order(), liveFiles.newFile(store), steps);
      Then.whenDone(
          liveFiles.flushed(store, oldest, written),
          (done, failure) -> ended(store, flush, failure));
    } catch (IOException | RuntimeException | Error e) {
      failed(store, flush, Errors.escalate(e));
    }
  }

  private void ended(ColumnFamilyStore store, Claim flush, @Nullable Throwable failure) {
    if (failure instanceof ManifestBrokenException) {
      broken(store, flush, failure);
      return;
    }
    if (failure != null) {
      failed(store, flush, failure);
      return;
    }
    flush.close();
    health.clear(Condition.FLUSH, store.definition().qualifiedName());
    try {
      afterFlush.accept(store);
    } finally {
      request(store);
    }
  }

  private void failed(ColumnFamilyStore store, Claim flush, Throwable cause) {
    flush.close();
    retryLater(store);
    String family = store.definition().qualifiedName();
    Errors.report(
        "could not write a memtable of "
            + family
            + " to disk; its data is safe in the commit log and in memory, and the flush is tried"
            + " again in "
            + RETRY_DELAY.toSeconds()
            + " s",
        cause);
    health.raise(
        Condition.FLUSH, family, Impact.NOTICE, "its memtables cannot be written to data files");
    // Those behind it have to wait as well.
    store.view().flushing().forEach(memtable -> memtable.outcome().failed(cause));
  }

  /** Without a manifest no file can become live: whoever waits is told, and nothing is retried. */
  private static void broken(ColumnFamilyStore store, Claim flush, Throwable cause) {
    flush.close();
    LOG.error(
        "memtables of {} can no longer become data files; their data is safe in the commit log",
        store.definition().qualifiedName(),
        cause);
    for (FamilyVersion.Flushing waiting : store.view().flushing()) {
      waiting.outcome().gaveUp(cause);
    }
  }
}
