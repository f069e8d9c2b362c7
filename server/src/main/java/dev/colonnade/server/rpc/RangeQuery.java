package dev.colonnade.server.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.server.coordinator.Consistency;
import dev.colonnade.server.coordinator.RangePosition;
import dev.colonnade.server.coordinator.RangeRead;
import dev.colonnade.server.coordinator.RowRange;
import dev.colonnade.server.coordinator.RowStore;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.model.SlicePosition;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A checked scan over rows. */
record RangeQuery(
    ColumnFamily family,
    List<RowRange> ranges,
    Slice slice,
    long rowLimit,
    boolean includeEmptyRows,
    boolean keysOnly,
    int limitBytes,
    Consistency consistency) {

  /**
   * One part of the scan, from a place on, up to the number of encoded bytes: filled by several
   * reads of the store, whose pages may be short, or, as a chunk of a stream, by one, and more only
   * while nothing has come.
   */
  CompletableFuture<RangeAnswer> read(
      RowStore store, CallScope scope, Optional<RangePosition> from, boolean chunk) {
    RangeAnswer answer = new RangeAnswer(ranges, slice, family.order().topType(), from, limitBytes);
    if (ranges.isEmpty()) {
      return CompletableFuture.completedFuture(answer);
    }
    return Repeat.whileTrue(
            () -> {
              scope.throwIfCancelled();
              long deadlineNanos = chunk ? scope.stepDeadlineNanos() : scope.deadlineNanos();
              return store
                  .readRange(next(answer, deadlineNanos))
                  .thenApply(
                      page -> {
                        answer.add(page);
                        return !answer.done() && !(chunk && !answer.isEmpty());
                      });
            })
        .thenApply(done -> answer);
  }

  private RangeRead next(RangeAnswer answer, long deadlineNanos) {
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
        deadlineNanos);
  }

  /** A position of this scan as a token. */
  static String token(long identity, RangePosition position) {
    return new PageTokens.Writer(identity)
        .number(position.range())
        .bytes(position.row().key())
        .number(position.rowsListed())
        .slice(position.inside())
        .finish();
  }

  /** Reads what {@link #token} wrote; empty text is the start. */
  Optional<RangePosition> position(String token, String field, long identity, RequestRules rules) {
    if (token.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        PageTokens.parse(
            token,
            field,
            identity,
            reader -> {
              int range = (int) reader.number(ranges.size() - 1L);
              RowKey row = rules.key(field, ByteString.copyFrom(reader.bytes()));
              long rowsListed = reader.number(Long.MAX_VALUE);
              Optional<SlicePosition> inside = reader.slice(family.order());
              return new RangePosition(range, row, inside, rowsListed);
            }));
  }
}
