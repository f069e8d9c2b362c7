package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs a store's timed work: it syncs the log in periodic mode, flushes memtables that grew old,
 * archives the log's segments, checks whether the disks have room again, and checks whether
 * compaction has reduced the number of files. Thread-safe.
 */
final class BackgroundTasks {

  private static final Duration AGE_CHECK_PERIOD = Duration.ofSeconds(1);
  private static final Duration ROOM_CHECK_PERIOD = Duration.ofMillis(500);

  private static final Duration ARCHIVE_PERIOD = Duration.ofSeconds(1);

  private final Scheduler scheduler;
  private final ColumnFamilyStores families;
  private final WritePipeline pipeline;
  private final DiskSpaceGuard diskSpace;
  private final Compactor compactor;
  private final Flusher flusher;
  private final FileCloser closer;
  private final BackgroundScrub scrub;
  private final List<Scheduler.Cancellable> timers = new ArrayList<>();

  BackgroundTasks(
      Scheduler scheduler,
      ColumnFamilyStores families,
      WritePipeline pipeline,
      DiskSpaceGuard diskSpace,
      Compactor compactor,
      Flusher flusher,
      FileCloser closer,
      BackgroundScrub scrub) {
    this.scheduler = scheduler;
    this.families = families;
    this.pipeline = pipeline;
    this.diskSpace = diskSpace;
    this.compactor = compactor;
    this.flusher = flusher;
    this.closer = closer;
    this.scrub = scrub;
  }

  /**
   * Starts the timers.
   *
   * @param syncLog not needed in batch mode
   * @param archiveLog empty if the log is not archived
   */
  synchronized void start(
      EngineSettings settings, Runnable syncLog, Optional<Runnable> archiveLog) {
    if (!settings.syncBeforeAck()) {
      timers.add(scheduler.every(settings.syncPeriod(), Stage.LOG, syncLog));
    }
    timers.add(scheduler.every(AGE_CHECK_PERIOD, Stage.LOG, this::checkAges));
    archiveLog.ifPresent(
        task -> timers.add(scheduler.every(ARCHIVE_PERIOD, Stage.COMPACTION, task)));
    diskSpace.look();
    timers.add(scheduler.every(ROOM_CHECK_PERIOD, Stage.FLUSH, this::lookForRoom));
    scrub.start();
  }

  /** Idempotent. */
  synchronized void stop() {
    timers.forEach(Scheduler.Cancellable::cancel);
    scrub.stop();
  }

  private void checkAges() {
    pipeline.lookAfterLog();
    families.checkFull();
    pipeline.room().lookAgain();
    boolean due = families.isFull();
    for (ColumnFamilyStore store : families.all()) {
      due |= store.flushDue().isPresent();
    }
    if (due) {
      Futures.ignore(pipeline.run(families::flushDue));
    }
  }

  private void lookForRoom() {
    closer.closeAll();
    flusher.lookAtWaiting();
    if (diskSpace.look()) {
      families.all().forEach(compactor::consider);
    }
  }
}
