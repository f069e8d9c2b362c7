package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.CompactionProgress;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Compacts families one after the other, until all are done or the caller cancels. */
final class FamilyMerges {

  private final StorageEngine engine;
  private final List<ColumnFamily> families;
  private final String phase;
  private final Function<ColumnFamily, Predicate<RowKey>> keeps;
  private final Consumer<NodeOperations.WorkProgress> progress;
  private final CompletableFuture<Void> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<Void> current;
  private volatile long familyBytes;
  private long mergedBytes;
  private int at;

  /**
   * Creates compactions that have not started.
   *
   * @param phase what they do, in a word, for progress reports
   * @param keeps which rows of a family are kept
   */
  FamilyMerges(
      StorageEngine engine,
      List<ColumnFamily> families,
      String phase,
      Function<ColumnFamily, Predicate<RowKey>> keeps,
      Consumer<NodeOperations.WorkProgress> progress) {
    this.engine = engine;
    this.families = families;
    this.phase = phase;
    this.keeps = keeps;
    this.progress = progress;
  }

  /** Starts; cancelling the future stops the running compaction and skips the rest. */
  CompletableFuture<Void> run() {
    Then.whenDone(answer, (done, failure) -> withdraw());
    next();
    return answer;
  }

  private void next() {
    if (answer.isDone()) {
      return;
    }
    mergedBytes += familyBytes;
    familyBytes = 0;
    if (at == families.size()) {
      progress.accept(
          new NodeOperations.WorkProgress(
              "done", mergedBytes, mergedBytes, families.size() + " column families"));
      answer.complete(null);
      return;
    }
    ColumnFamily family = families.get(at++);
    CompletableFuture<Void> merge =
        engine.compact(family.id(), keeps.apply(family), step -> report(family, step));
    current = merge;
    withdraw();
    Then.whenDone(
        merge,
        answer,
        (done, failure) -> {
          if (failure == null) {
            next();
          } else {
            answer.completeExceptionally(StorageFailures.translate(failure));
          }
        });
  }

  private void withdraw() {
    CompletableFuture<Void> merge = current;
    if (answer.isCancelled() && merge != null) {
      merge.cancel(false);
    }
  }

  private void report(ColumnFamily family, CompactionProgress step) {
    familyBytes = step.bytesTotal();
    progress.accept(
        new NodeOperations.WorkProgress(
            phase,
            step.bytesDone(),
            step.bytesTotal(),
            family.qualifiedName() + ": " + step.files() + " files"));
  }
}
