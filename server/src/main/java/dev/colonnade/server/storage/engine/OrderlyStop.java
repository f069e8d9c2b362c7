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
 * Writes to data files, before a store ends, what would be lost or would make the next start slow:
 * what is in no log, always, and what the next start would have to replay, if that is much. Little
 * is left to the log, so that a stop is quick.
 *
 * <p>A stop does not depend on the second part: if it fails, or takes too long, the data is in the
 * log.
 */
final class OrderlyStop {

  /**
   * Memtables are written if they hold this part of what they may. At 1 GiB of heap that is 42 MiB,
   * which the next start would replay in half a second.
   */
  private static final int MUCH_PART = 8;

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
   * @param memtableBytesMax what memtables may hold
   * @return fails if something may be lost
   */
  CompletableFuture<Void> run(long memtableBytesMax) {
    // Writes that were accepted are applied first, and durable, however long the rest takes.
    return pipeline
        .runBlocking(reached -> logControl.sync())
        .thenCompose(
            applied -> {
              CompletableFuture<Void> unlogged = flush(ColumnFamilyStore::hasUnlogged);
              return families.memtableBytes() > memtableBytesMax / MUCH_PART
                  ? CompletableFuture.allOf(unlogged, emptyLogInTime())
                  : unlogged;
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
