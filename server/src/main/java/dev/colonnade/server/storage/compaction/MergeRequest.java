package dev.colonnade.server.storage.compaction;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.util.List;
import java.util.function.Predicate;

/**
 * What to compact, and where to.
 *
 * @param inputs at least one; the requester holds references to them until the compaction has ended
 * @param resources where the output goes
 * @param output the output's identity; of the same family and order as the inputs
 * @param gcGraceSeconds how long deletions are kept
 * @param nowSeconds the moment at which expiry and gc grace are judged
 * @param atomsPerStep cells and deletions in one step of the compaction, at least 1
 * @param keeps which rows go into the output; evaluated once for each row, when it is merged
 * @param outside tells what the rest of the store may hold
 */
public record MergeRequest(
    List<SSTable> inputs,
    SSTableResources resources,
    SSTableIdentity output,
    long gcGraceSeconds,
    long nowSeconds,
    int atomsPerStep,
    Predicate<RowKey> keeps,
    Outside outside) {

  /**
   * What is outside of a compaction. Asked at most once for each row, when it is merged; not asked
   * about rows of which nothing could be purged.
   */
  @FunctionalInterface
  public interface Outside {
    /**
     * The smallest timestamp that any live file outside of the compaction, or any memtable, may
     * hold for a row; {@link Long#MAX_VALUE} if none of them can hold the row. Deletions with
     * smaller timestamps hide nothing there.
     */
    long minTimestamp(RowKey key);
  }

  /** Checks that there is something to compact. */
  public MergeRequest {
    inputs = List.copyOf(inputs);
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a merge of no files");
    }
  }
}
