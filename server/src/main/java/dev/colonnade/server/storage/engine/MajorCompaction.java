package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.compaction.Compaction;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request to compact all files of a family into one. It reports its progress, and cancelling its
 * {@link #answer} withdraws it. Thread-safe.
 */
final class MajorCompaction {

  private final ColumnFamilyStore store;
  private final Predicate<RowKey> keeps;
  private final Consumer<CompactionProgress> progress;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final CompletableFuture<Void> answer = new CompletableFuture<>();
  private volatile @Nullable Compaction compaction;

  /**
   * Creates a waiting request.
   *
   * @param keeps which rows the output is to have
   * @param progress told now and then, and at the end; one call at a time
   */
  MajorCompaction(
      ColumnFamilyStore store, Predicate<RowKey> keeps, Consumer<CompactionProgress> progress) {
    this.store = store;
    this.keeps = keeps;
    this.progress = progress;
    Then.whenDone(done, (all, failure) -> end(failure));
    Then.whenDone(answer, (all, failure) -> withdraw());
  }

  ColumnFamilyStore store() {
    return store;
  }

  Predicate<RowKey> keeps() {
    return keeps;
  }

  /**
   * Completes when the files are compacted; cancelling it stops the compaction at its next step.
   */
  CompletableFuture<Void> answer() {
    return answer;
  }

  /** Completed by the compactor. */
  CompletableFuture<Void> done() {
    return done;
  }

  /** Sets the timer that reports until the end, whatever that is. */
  void reportsBy(Scheduler.Cancellable ticking) {
    Then.whenDone(done, (all, failure) -> ticking.cancel());
  }

  /** The compaction has begun. */
  void runs(Compaction begun) {
    compaction = begun;
    if (done.isCancelled()) {
      begun.cancel();
    }
  }

  /** Reports the progress of the compaction, if it has begun. */
  void report() {
    Compaction running = compaction;
    if (running != null) {
      report(running, running.doneBytes());
    }
  }

  private synchronized void report(Compaction merge, long doneBytes) {
    progress.accept(new CompactionProgress(doneBytes, merge.totalBytes(), merge.inputs().size()));
  }

  private void end(@Nullable Throwable failure) {
    if (failure != null) {
      answer.completeExceptionally(failure);
      return;
    }
    Compaction ended = compaction;
    try {
      if (ended != null) {
        report(ended, ended.totalBytes());
      }
    } finally {
      answer.complete(null);
    }
  }

  private void withdraw() {
    if (answer.isCancelled()) {
      done.cancel(false);
      Compaction running = compaction;
      if (running != null) {
        running.cancel();
      }
    }
  }
}
