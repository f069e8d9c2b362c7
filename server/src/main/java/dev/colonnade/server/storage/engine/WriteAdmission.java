package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Accepts writes into the pipeline, or refuses them at once: because the disk is nearly full, or
 * because memtables are and no room is to be expected. Counts what was written. Thread-safe.
 */
final class WriteAdmission {

  private final Clock clock;
  private final ColumnFamilyStores families;
  private final WritePipeline pipeline;
  private final DiskSpaceGuard diskSpace;

  WriteAdmission(
      Clock clock, ColumnFamilyStores families, WritePipeline pipeline, DiskSpaceGuard diskSpace) {
    this.clock = clock;
    this.families = families;
    this.pipeline = pipeline;
    this.diskSpace = diskSpace;
  }

  /**
   * Writes, unless that would take the reserve of the disk.
   *
   * @param deadlineNanos when the caller gives up; {@link Long#MAX_VALUE} for never
   * @param trace of the call; null if it is not traced
   */
  CompletableFuture<Void> write(
      Mutation mutation, boolean durable, long deadlineNanos, @Nullable StoreTrace trace) {
    String shortage = diskSpace.shortageAfter(mutation.payloadBytes());
    return shortage == null
        ? admitted(mutation, durable, deadlineNanos, trace)
        : CompletableFuture.failedFuture(new DiskFullException(shortage));
  }

  /** As {@link #write}, also from the reserve. */
  CompletableFuture<Void> writeUsingReserve(
      Mutation mutation, boolean durable, long deadlineNanos) {
    return admitted(mutation, durable, deadlineNanos, null);
  }

  private CompletableFuture<Void> admitted(
      Mutation mutation, boolean durable, long deadlineNanos, @Nullable StoreTrace trace) {
    if (families.isFull() && pipeline.room().isOverdue()) {
      return CompletableFuture.failedFuture(ColumnFamilyStores.noRoom());
    }
    long from = clock.monotonicNanos();
    CompletableFuture<Void> written =
        pipeline.submit(mutation, durable, RoomWait.until(from, deadlineNanos), trace);
    if (written.isDone()) {
      if (!written.isCompletedExceptionally()) {
        wrote(mutation, from);
      }
      return written;
    }
    // The caller gets a future of its own: continuations of one future run in no particular order,
    // and whoever sees the answer must find the write counted.
    CompletableFuture<Void> counted = new CompletableFuture<>();
    Then.whenDone(
        written,
        counted,
        (done, failure) -> {
          if (failure == null) {
            wrote(mutation, from);
            counted.complete(null);
          } else {
            counted.completeExceptionally(failure);
          }
        });
    return counted;
  }

  private void wrote(Mutation mutation, long fromNanos) {
    families.wrote(mutation, clock.monotonicNanos() - fromNanos);
  }
}
