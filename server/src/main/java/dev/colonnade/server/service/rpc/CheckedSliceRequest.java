package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.v1.GetSliceResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A checked read of one row's slice, from a position, up to a number of encoded bytes. */
record CheckedSliceRequest(
    ColumnFamily family,
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    int limitBytes,
    Consistency consistency) {

  /** The same read from another position. */
  CheckedSliceRequest from(Optional<SlicePosition> position) {
    return new CheckedSliceRequest(family, key, slice, position, limitBytes, consistency);
  }

  /**
   * The read of the store: what it finds in this node's own store is encoded at once.
   *
   * @param field the number of the field of columns
   */
  SliceRead query(int field, int maxBytes, long deadlineNanos, Runnable check) {
    EncodedColumns.Room room = new EncodedColumns.Room(maxBytes, check);
    return new SliceRead(
        family,
        key,
        slice,
        from,
        maxBytes,
        consistency,
        deadlineNanos,
        () ->
            (row, position) ->
                new EncodedColumns(
                    field,
                    slice,
                    family.order().topType(),
                    from.orElse(null),
                    room,
                    new ByteChunks()));
  }

  /** The answer that a page makes, up to a number of bytes. */
  SliceAnswer answer(int field, SlicePage page, int maxBytes) {
    EncodedColumns empty =
        new EncodedColumns(field, slice, family.order().topType(), from.orElse(null));
    return SliceAnswer.of(page, empty, maxBytes);
  }

  /**
   * Reads an answer, which is one page of the store: it shows the row at one moment, and ends where
   * the page does.
   *
   * @param paged whether the answer may be shorter if memory is short
   */
  CompletableFuture<SliceAnswer> read(CallContext callContext, RpcContext rpc, boolean paged) {
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.answer(
        limitBytes,
        paged,
        maxBytes -> page(work, store, maxBytes, callContext, callContext.deadlineNanos()));
  }

  /** Reads a chunk of a stream, as {@link #read} reads an answer. */
  CompletableFuture<SliceAnswer> readChunk(CallContext callContext, RpcContext rpc) {
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.chunk(
        limitBytes,
        () -> page(work, store, limitBytes, callContext, callContext.stepDeadlineNanos()));
  }

  private CompletableFuture<SliceAnswer> page(
      AnswerWork work, RowStore store, int maxBytes, CallContext callContext, long deadlineNanos) {
    int field = GetSliceResponse.COLUMNS_FIELD_NUMBER;
    return work.here(
            store.read(query(field, maxBytes, deadlineNanos, callContext::throwIfCancelled)))
        .thenApply(found -> answer(field, found, maxBytes));
  }
}
