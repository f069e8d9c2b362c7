package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.read.SliceRead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows to be loaded into the caches of the nodes that hold them, ahead of reads.
 *
 * @param keys each once
 * @param loadData whether the row cache is filled too; otherwise only the key cache
 * @param deadlineNanos as in {@link SliceRead}
 * @param trace of the call; null if it is not traced
 */
public record TouchRead(
    ColumnFamily family,
    List<RowKey> keys,
    boolean loadData,
    long deadlineNanos,
    @Nullable CallTrace trace) {

  /** One that is not traced. */
  public TouchRead(ColumnFamily family, List<RowKey> keys, boolean loadData, long deadlineNanos) {
    this(family, keys, loadData, deadlineNanos, null);
  }

  /** Copies the list. */
  public TouchRead {
    keys = List.copyOf(keys);
  }
}
