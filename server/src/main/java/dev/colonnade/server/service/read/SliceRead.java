package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.Consistency;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One page of one row's slice, or the number of live columns or super columns in it.
 *
 * @param from where an earlier page ended; empty for the first
 * @param pageBytes about how many bytes of names and values the page may hold, at least 1; a page
 *     holds at least one cell, whatever its size
 * @param countOnly count to the end of the slice, and answer no cells; the slice's limit bounds the
 *     count
 * @param deadlineNanos of the monotonic clock; {@link Long#MAX_VALUE} for none
 * @param sinks where the cells of a page from this node's own store go; a page from several
 *     replicas has a list of cells
 * @param trace of the call; null if it is not traced
 */
public record SliceRead(
    ColumnFamily family,
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    int pageBytes,
    boolean countOnly,
    Consistency consistency,
    long deadlineNanos,
    Supplier<PageSink> sinks,
    @Nullable CallTrace trace) {

  /** A read that is not traced. */
  public SliceRead(
      ColumnFamily family,
      RowKey key,
      Slice slice,
      Optional<SlicePosition> from,
      int pageBytes,
      boolean countOnly,
      Consistency consistency,
      long deadlineNanos,
      Supplier<PageSink> sinks) {
    this(family, key, slice, from, pageBytes, countOnly, consistency, deadlineNanos, sinks, null);
  }

  /** This read in a trace. */
  public SliceRead traced(CallTrace by) {
    return new SliceRead(
        family, key, slice, from, pageBytes, countOnly, consistency, deadlineNanos, sinks, by);
  }

  /** A page of cells. */
  public SliceRead(
      ColumnFamily family,
      RowKey key,
      Slice slice,
      Optional<SlicePosition> from,
      int pageBytes,
      Consistency consistency,
      long deadlineNanos,
      Supplier<PageSink> sinks) {
    this(family, key, slice, from, pageBytes, false, consistency, deadlineNanos, sinks);
  }

  /** A count of the whole slice. */
  public static SliceRead count(
      ColumnFamily family, RowKey key, Slice slice, Consistency consistency, long deadlineNanos) {
    return new SliceRead(
        family,
        key,
        slice,
        Optional.empty(),
        Integer.MAX_VALUE,
        true,
        consistency,
        deadlineNanos,
        PageSink.LISTS);
  }

  /** The command that goes on from a position. */
  SliceCommand command(Optional<SlicePosition> position, long nowSeconds) {
    return new SliceCommand(key, slice, position, pageBytes, countOnly, nowSeconds);
  }
}
