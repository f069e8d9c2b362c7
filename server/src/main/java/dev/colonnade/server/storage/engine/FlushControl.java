package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Starts a new memtable in order with the writes on request: for a flush on demand, and for a
 * truncation. Both come before writes that wait for room, which are not acknowledged yet: they make
 * room, and their callers do not wait for a disk that is behind. Thread-safe.
 */
final class FlushControl {
  private final WritePipeline pipeline;
  private final LiveFileSet liveFiles;
  private final Flusher flusher;

  FlushControl(WritePipeline pipeline, LiveFileSet liveFiles, Flusher flusher) {
    this.pipeline = pipeline;
    this.liveFiles = liveFiles;
    this.flusher = flusher;
  }

  /**
   * Flushes everything that is in memory now; completes with the files' names.
   *
   * @param awaited selects which completion of a flush is waited for
   */
  CompletableFuture<List<String>> flush(
      ColumnFamilyStore store,
      Function<FlushOutcome, CompletableFuture<Optional<String>>> awaited) {
    List<CompletableFuture<Optional<String>>> waiting = new ArrayList<>();
    CompletableFuture<Void> switched =
        pipeline.runBeforeWaiting(
            reached -> {
              store.switchMemtable(reached, FlushReason.DEMAND);
              // Listed before a flush is requested: one that has ended is in the list no more.
              for (FamilyVersion.Flushing memtable : store.view().flushing()) {
                waiting.add(awaited.apply(memtable.outcome()));
              }
              // Flushes that wait for compactions wait no longer.
              flusher.request(store);
            });
    return switched.thenCompose(
        done ->
            CompletableFuture.allOf(waiting.toArray(new CompletableFuture<?>[0]))
                .thenApply(
                    all ->
                        waiting.stream()
                            .map(file -> file.getNow(Optional.empty()))
                            .flatMap(Optional::stream)
                            .toList()));
  }

  /**
   * Deletes everything that was written before; durable when it completes. From then on, writes
   * from before the truncation of that number are void. Fails with {@link StoreStoppedException}
   * once the log has failed: records that the failed append left in it would come back with the
   * next start.
   */
  CompletableFuture<Void> truncate(ColumnFamilyStore store, long number) {
    long before = store.truncatedBefore();
    CompletableFuture<Void> truncated = new CompletableFuture<>();
    // The change is queued within the action, so that no flush of later writes can come before it.
    CompletableFuture<Void> switched =
        pipeline.runBeforeWaiting(
            reached -> {
              pipeline.requireSoundLog();
              store.truncatedBefore(Math.max(number, store.truncatedBefore()));
              store.switchMemtable(reached, FlushReason.DEMAND);
              relay(liveFiles.truncated(store, reached, store.view().flushing()), truncated);
            });
    Then.whenDone(
        switched,
        truncated,
        (done, failed) -> {
          if (failed != null) {
            truncated.completeExceptionally(failed);
          }
        });
    return truncated.whenComplete(
        (done, failed) -> {
          if (failed != null) {
            store.truncatedBefore(before);
          }
          // Memtables that could not be truncated are flushed like any other.
          flusher.request(store);
        });
  }

  /** Reverts a truncation: from then on, only truncations that the schema has make writes void. */
  CompletableFuture<Void> abandonTruncation(ColumnFamilyStore store) {
    return pipeline.runBeforeWaiting(
        reached -> store.truncatedBefore(store.definition().truncation()));
  }

  private static void relay(CompletableFuture<Void> from, CompletableFuture<Void> to) {
    Then.whenDone(
        from,
        to,
        (done, failed) -> {
          if (failed == null) {
            to.complete(null);
          } else {
            to.completeExceptionally(failed);
          }
        });
  }
}
