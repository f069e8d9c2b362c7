package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
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

  /** An empty answer with this size limit. */
  SliceAnswer newAnswer(int maxBytes) {
    EncodedColumns columns =
        new EncodedColumns(
            GetSliceResponse.COLUMNS_FIELD_NUMBER,
            slice,
            family.order().topType(),
            from.orElse(null));
    return new SliceAnswer(columns, from, maxBytes);
  }

  /**
   * The read of the store that begins an answer: what it finds is encoded at once.
   *
   * @param field the number of the field of columns
   */
  SliceRead first(int field, int maxBytes, long deadlineNanos, Runnable check) {
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

  /** The read of the store that continues an answer. */
  SliceRead next(SliceAnswer answer, long deadlineNanos) {
    return new SliceRead(
        family,
        key,
        slice,
        answer.next(),
        answer.roomBytes(),
        consistency,
        deadlineNanos,
        PageSink.LISTS);
  }

  /**
   * Reads until the answer is full or the slice complete, since a page of the store may be short.
   *
   * @param paged whether the answer may be shorter if memory is short
   */
  CompletableFuture<SliceAnswer> read(CallContext callContext, RpcContext rpc, boolean paged) {
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.answer(
        limitBytes,
        paged,
        maxBytes -> {
          SliceAnswer answer = newAnswer(maxBytes);
          return work.repeat(
                  () ->
                      read(work, store, answer, callContext, callContext.deadlineNanos())
                          .thenApply(done -> !answer.done()))
              .thenApply(done -> answer);
        });
  }

  /**
   * Reads a chunk of a stream: one page of the store, and more only while nothing has been found.
   */
  CompletableFuture<SliceAnswer> readChunk(CallContext callContext, RpcContext rpc) {
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    SliceAnswer answer = newAnswer(limitBytes);
    return work.<SliceAnswer>chunk(
        limitBytes,
        () ->
            work.repeat(
                    () ->
                        read(work, store, answer, callContext, callContext.stepDeadlineNanos())
                            .thenApply(done -> !answer.done() && answer.isEmpty()))
                .thenApply(done -> answer));
  }

  private CompletableFuture<SliceAnswer> read(
      AnswerWork work,
      RowStore store,
      SliceAnswer answer,
      CallContext callContext,
      long deadlineNanos) {
    // A page behind another one of the same answer may have to be joined with it.
    SliceRead page =
        answer.isUntouched()
            ? first(
                GetSliceResponse.COLUMNS_FIELD_NUMBER,
                answer.roomBytes(),
                deadlineNanos,
                callContext::throwIfCancelled)
            : next(answer, deadlineNanos);
    return work.here(store.read(page))
        .thenApply(
            found -> {
              answer.add(found);
              return answer;
            });
  }
}
