package dev.colonnade.server.base.model;

import java.util.Optional;

/**
 * A read of a slice of one row.
 *
 * @param from where an earlier read ended
 * @param countOnly a page of it needs no cells, only how many there are
 */
public record SliceCommand(
    RowKey key,
    Slice slice,
    Optional<SlicePosition> from,
    long bytes,
    boolean countOnly,
    long nowSeconds)
    implements ReadCommand {

  /** Wants the cells. */
  public SliceCommand(
      RowKey key, Slice slice, Optional<SlicePosition> from, long bytes, long nowSeconds) {
    this(key, slice, from, bytes, false, nowSeconds);
  }

  /** The same read with another limit in bytes. */
  public SliceCommand atMost(long bytesMax) {
    return bytes <= bytesMax
        ? this
        : new SliceCommand(key, slice, from, bytesMax, countOnly, nowSeconds);
  }
}
