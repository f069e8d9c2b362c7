package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.env.Watched;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.base.health.RepeatedFailures;
import dev.colonnade.server.storage.manifest.ManifestBrokenException;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes memtables to data files.
 *
 * <ul>
 *   <li>A family has one flush at a time, the oldest memtable first, so the log position up to
 *       which it is on disk only ever grows.
 *   <li>A failed flush leaves the memtable in place and is tried again.
 *   <li>The flush of a family with very many files waits for its compactions, so that in the end
 *       writes are refused rather than reads made ever slower.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class Flusher {

  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  /** Between a failed flush (most likely because of a full disk) and the next attempt. */
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  private final Scheduler scheduler;
  private final LiveFileSet liveFiles;
  private final DiskSpaceGuard diskSpace;
  private final RepeatedFailures failures;
  private final int familyFilesMax;
  private final Consumer<ColumnFamilyStore> afterFlush;

  /** Families whose flushes wait until compactions have left fewer files. */
  private final Set<ColumnFamilyStore> waiting = ConcurrentHashMap.newKeySet();

  /** The progress of each running flush, for the watchdog. */
  private final Map<ColumnFamilyStore, AtomicLong> running = new ConcurrentHashMap<>();

  /** How far the last attempt got that failed: to get there again is no progress. */
  private final Map<ColumnFamilyStore, Long> failedAt = new ConcurrentHashMap<>();

  /** How many flushes have made a memtable a file. */
  private final LongAdder flushed = new LongAdder();

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
    this.failures =
        new RepeatedFailures(health, Condition.FLUSH, Impact.NOTICE, Impact.UNFAVOURABLE);
    this.familyFilesMax = familyFilesMax;
    this.afterFlush = afterFlush;
  }

  /** Starts flushing what the family has to flush, unless a flush of it runs already. */
  void request(ColumnFamilyStore store) {
    if (store.view().flushing().isEmpty()) {
      // What could not be written may have been dropped or truncated meanwhile.
      failures.over(store.definition().qualifiedName());
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
   * Whether a compaction must reduce the files before another one is added. False if no compaction
   * runs, for want of room or because it is switched off: the wait would have no end. False also if
   * a caller waits for the flush, or the log for its space.
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

  /** Checks again the flushes that wait for compactions; to be called now and then. */
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
          "cannot schedule another flush of {}; the next one will include it",
          store.definition().qualifiedName(),
          full);
    }
  }

  /**
   * Returns a figure that changes with every step towards fewer memtables; one that repeats what an
   * attempt before it did and failed changes nothing.
   */
  long progress() {
    long steps = flushed.sum();
    for (Map.Entry<ColumnFamilyStore, AtomicLong> flush : running.entrySet()) {
      long before = failedAt.getOrDefault(flush.getKey(), 0L);
      steps += Math.max(0, flush.getValue().get() - before);
    }
    return steps;
  }

  /** Reports the running flushes, and their progress. */
  void report(Watched.Observer observer) {
    running.forEach(
        (store, steps) ->
            observer.inTurns(
                "flush",
                store.definition().qualifiedName(),
                steps.get(),
                () -> store.view().flushing().size() + " memtables wait to be flushed"));
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
      // Rows take more heap than room in a file; a flush that surely does not fit is not begun.
      diskSpace.requireForFlush(oldest.memtable().heapBytes() / 2);
      SSTable written =
          MemtableFile.write(oldest.memtable(), store.order(), liveFiles.newFile(store), steps);
      Then.whenDone(
          liveFiles.flushed(store, oldest, written),
          (done, failure) -> ended(store, flush, failure));
    } catch (IOException | RuntimeException | Error e) {
      failedAt.merge(store, steps.get(), Math::max);
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
    flushed.increment();
    failedAt.remove(store);
    flush.close();
    failures.over(store.definition().qualifiedName());
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
            + " to disk; its data is safe in the commit log and in memory, and the flush will be"
            + " tried again in "
            + RETRY_DELAY.toSeconds()
            + " s",
        cause);
    failures.failed(
        family,
        "its memtables cannot be written to data files; see the node's log for the cause: when"
            + " memory for memtables is used up, writes are refused");
    // The memtables behind it have to wait as well.
    store.view().flushing().forEach(memtable -> memtable.outcome().failed(cause));
  }

  /**
   * Without a manifest no file can become live: the callers that wait are told, and nothing is
   * retried.
   */
  private static void broken(ColumnFamilyStore store, Claim flush, Throwable cause) {
    flush.close();
    LOG.error(
        "memtables of {} can no longer be flushed; their data is safe in the commit log",
        store.definition().qualifiedName(),
        cause);
    for (FamilyVersion.Flushing waiting : store.view().flushing()) {
      waiting.outcome().gaveUp(cause);
    }
  }
}
