package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.RowStore;
import dev.colonnade.server.coordinator.SliceRead;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.model.SlicePosition;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A checked read of one row's slice, from a place on, up to a number of encoded bytes. */
record SliceQuery(
    ColumnFamily family,
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    int limitBytes,
    Consistency consistency) {

  /** The same read from another place on. */
  SliceQuery from(Optional<SlicePosition> position) {
    return new SliceQuery(family, key, slice, position, limitBytes, consistency);
  }

  SliceAnswer newAnswer() {
    return new SliceAnswer(slice, family.order().topType(), from, limitBytes);
  }

  /** The store's read that fills an answer from where it stands. */
  SliceRead next(SliceAnswer answer, long deadlineNanos) {
    return new SliceRead(
        family, key, slice, answer.next(), answer.roomBytes(), consistency, deadlineNanos);
  }

  /** Reads until the answer is full or the slice complete: a page of the store may be short. */
  CompletableFuture<SliceAnswer> read(RowStore store, CallScope scope) {
    return read(store, scope, false);
  }

  /** Reads a chunk of a stream: one page of the store, and more only while nothing has come. */
  CompletableFuture<SliceAnswer> readChunk(RowStore store, CallScope scope) {
    return read(store, scope, true);
  }

  private CompletableFuture<SliceAnswer> read(RowStore store, CallScope scope, boolean chunk) {
    SliceAnswer answer = newAnswer();
    return Repeat.whileTrue(
            () -> {
              scope.throwIfCancelled();
              long deadlineNanos = chunk ? scope.stepDeadlineNanos() : scope.deadlineNanos();
              return store
                  .read(next(answer, deadlineNanos))
                  .thenApply(
                      page -> {
                        answer.add(page);
                        return !answer.done() && !(chunk && !answer.isEmpty());
                      });
            })
        .thenApply(done -> answer);
  }
}
