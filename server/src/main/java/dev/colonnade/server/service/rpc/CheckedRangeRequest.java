package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** A checked scan over rows. */
record CheckedRangeRequest(
    ColumnFamily family,
    List<RowRange> ranges,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    int limitBytes,
    Consistency consistency) {

  /** Reads one page of the scan from a position, with as many reads of the store as needed. */
  CompletableFuture<RangeAnswer> read(
      CallContext callContext, RpcContext rpc, Optional<RangePosition> from) {
    if (ranges.isEmpty()) {
      return CompletableFuture.completedFuture(newAnswer(from, limitBytes));
    }
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.answer(
        limitBytes,
        true,
        maxBytes -> {
          RangeAnswer answer = newAnswer(from, maxBytes);
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
  CompletableFuture<RangeAnswer> readChunk(
      CallContext callContext, RpcContext rpc, Optional<RangePosition> from) {
    RangeAnswer answer = newAnswer(from, limitBytes);
    if (ranges.isEmpty()) {
      return CompletableFuture.completedFuture(answer);
    }
    RowStore store = callContext.rows(rpc.store());
    AnswerWork work = AnswerWork.of(rpc, callContext);
    return work.<RangeAnswer>chunk(
        limitBytes,
        () ->
            work.repeat(
                    () ->
                        read(work, store, answer, callContext, callContext.stepDeadlineNanos())
                            .thenApply(done -> !answer.done() && answer.isEmpty()))
                .thenApply(done -> answer));
  }

  private RangeAnswer newAnswer(Optional<RangePosition> from, int maxBytes) {
    return new RangeAnswer(slice, family.order().topType(), from, maxBytes);
  }

  private CompletableFuture<RangeAnswer> read(
      AnswerWork work,
      RowStore store,
      RangeAnswer answer,
      CallContext callContext,
      long deadlineNanos) {
    return work.here(store.readRange(next(answer, callContext, deadlineNanos)))
        .thenApply(
            page -> {
              answer.add(page);
              return answer;
            });
  }

  private RangeRead next(RangeAnswer answer, CallContext callContext, long deadlineNanos) {
    return new RangeRead(
        family,
        ranges,
        slice,
        rowLimit,
        includeEmptyRows,
        keysOnly,
        answer.next(),
        answer.roomBytes(),
        consistency,
        deadlineNanos,
        answer.sinks(callContext::throwIfCancelled));
  }

  /** Encodes a position of this scan as a token. */
  String token(long identity, RangePosition position) {
    return new PageTokens.Writer(identity)
        .number(RangeRead.rangeOf(ranges, position.row()))
        .bytes(position.row().key())
        .number(position.rowsListed())
        .slice(position.inside())
        .finish();
  }

  /** Decodes a {@link #token}; empty text is the start. */
  Optional<RangePosition> position(
      String token, String field, LongSupplier identity, RequestRules rules) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        PageTokens.parse(
            token,
            field,
            identity.getAsLong(),
            reader -> {
              int range = (int) reader.number(ranges.size() - 1L);
              RowKey row = rules.key(field, ByteString.copyFrom(reader.bytes()));
              if (!ranges.get(range).contains(row)) {
                throw PageTokens.damaged(field);
              }
              long rowsListed = reader.number(Long.MAX_VALUE);
              return new RangePosition(row, reader.slice(family.order()), rowsListed);
            }));
  }
}
