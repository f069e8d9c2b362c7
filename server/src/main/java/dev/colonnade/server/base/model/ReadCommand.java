package dev.colonnade.server.base.model;

/**
 * One bounded read of a row or of rows in token order, the same from the coordinator to the blocks:
 * read from the own store as a page of live cells, or sent to replicas that answer with everything
 * they know, deletions included, from which the coordinator makes the page.
 *
 * <p>The command says where to go on, so a long read is a sequence of commands, each bounded by
 * {@link #bytes}.
 */
public sealed interface ReadCommand permits SliceCommand, RangeCommand {

  /** The slice to read of each row. */
  Slice slice();

  /** About how many bytes of names and values to answer at most; at least one cell is answered. */
  long bytes();

  /** The coordinator's time, against which expiry and gc grace are judged. */
  long nowSeconds();
}
