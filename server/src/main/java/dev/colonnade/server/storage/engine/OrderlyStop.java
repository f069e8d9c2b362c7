package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes all memtables to data files before a store ends, so that the next start has nothing to
 * replay: a few columns of a quiet family would otherwise keep every later segment of the log, and
 * have it read.
 *
 * <p>A stop depends only on what is in no log: if the rest fails, or takes too long, it is in the
 * log.
 */
final class OrderlyStop {

  /** A stop waits no longer than this for what it could leave to the log. */
  private static final Duration TIME_LIMIT = Duration.ofSeconds(15);

  private static final Logger LOG = LoggerFactory.getLogger(OrderlyStop.class);

  private final Scheduler scheduler;
  private final ColumnFamilyStores families;
  private final WritePipeline pipeline;
  private final LogControl logControl;
  private final Function<FamilyId, CompletableFuture<?>> flush;

  /**
   * Creates one for a store.
   *
   * @param flush writes the memtables of a family
   */
  OrderlyStop(
      Scheduler scheduler,
      ColumnFamilyStores families,
      WritePipeline pipeline,
      LogControl logControl,
      Function<FamilyId, CompletableFuture<?>> flush) {
    this.scheduler = scheduler;
    this.families = families;
    this.pipeline = pipeline;
    this.logControl = logControl;
    this.flush = flush;
  }

  /**
   * Writes all memtables. When it completes, the next start has nothing to replay.
   *
   * @return fails if not everything could be written; the rest is in the log
   */
  CompletableFuture<Void> emptyLog() {
    return flush(store -> true)
        .thenCompose(done -> pipeline.runBlocking(reached -> logControl.cut()));
  }

  /**
   * Writes what needs to be written before a stop.
   *
   * @return fails if something may be lost
   */
  CompletableFuture<Void> run() {
    // Writes that were accepted are applied first, and durable, however long the rest takes.
    return pipeline
        .runBlocking(reached -> logControl.sync())
        .thenCompose(
            applied -> {
              CompletableFuture<Void> unlogged = flush(ColumnFamilyStore::hasUnlogged);
              return CompletableFuture.allOf(unlogged, emptyLogInTime());
            });
  }

  private CompletableFuture<Void> emptyLogInTime() {
    LOG.info("writing memtables to data files, so that the next start is quick");
    CompletableFuture<Void> ended = new CompletableFuture<>();
    try {
      scheduler.after(TIME_LIMIT, Stage.TIMER, () -> ended.complete(null));
    } catch (RejectedExecutionException tooManyTimers) {
      return CompletableFuture.completedFuture(null);
    }
    Then.whenDone(
        emptyLog(),
        (done, failure) -> {
          if (failure != null) {
            LOG.warn("some memtables could not be written; their data is in the log", failure);
          }
          ended.complete(null);
        });
    return ended;
  }

  private CompletableFuture<Void> flush(Predicate<ColumnFamilyStore> which) {
    List<CompletableFuture<?>> flushes = new ArrayList<>();
    for (ColumnFamilyStore store : families.all()) {
      if (which.test(store)) {
        flushes.add(flush.apply(store.id()));
      }
    }
    return CompletableFuture.allOf(flushes.toArray(new CompletableFuture<?>[0]));
  }
}
