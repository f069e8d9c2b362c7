package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.storage.commitlog.CommitLog;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has the commit log's next segment made on the log stage before it is needed, once at a time.
 * Thread-safe.
 */
final class NextSegment {

  private final CommitLog log;
  private final Scheduler scheduler;
  private final Runnable prepare;
  private final Runnable ended;

  /** Whether an attempt to make it is queued or under way. */
  private volatile boolean coming;

  /** Whether the log was asked for its next segment, and does not have it yet. */
  private final AtomicBoolean preparing = new AtomicBoolean();

  /**
   * Requests nothing yet.
   *
   * @param prepare makes the log's next segment, on the log stage; handles its own failures
   * @param ended runs on the log stage after each attempt
   */
  NextSegment(CommitLog log, Scheduler scheduler, Runnable prepare, Runnable ended) {
    this.log = log;
    this.scheduler = scheduler;
    this.prepare = prepare;
    this.ended = ended;
  }

  /** Whether an attempt to make it is queued or under way, whose end will be told. */
  boolean isComing() {
    return coming;
  }

  /** Requests the next segment unless it is there or requested. */
  void requestIfNeeded() {
    if (!log.isPrepared() && preparing.compareAndSet(false, true)) {
      coming = true;
      if (!scheduler.submit(Stage.LOG, this::prepare)) {
        coming = false;
        preparing.set(false);
      }
    }
  }

  /** Requests it again if that failed; to be called now and then. */
  void lookAgain() {
    preparing.set(false);
    requestIfNeeded();
  }

  private void prepare() {
    try {
      prepare.run();
      if (log.isPrepared()) {
        preparing.set(false);
      }
    } finally {
      coming = false;
      ended.run();
    }
  }
}
