package dev.colonnade.server.compaction;

import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.sstable.SSTable;
import dev.colonnade.server.sstable.SSTableIdentity;
import dev.colonnade.server.sstable.SSTableResources;
import java.util.List;
import java.util.function.Predicate;

/**
 * What to merge into what.
 *
 * @param inputs at least one; whoever asks holds references to them until the merge has ended
 * @param resources where the output goes
 * @param output which file the output is; of the same family and order as the inputs
 * @param gcGraceSeconds how long deletions are kept
 * @param nowSeconds the moment that expiry and gc grace are judged by
 * @param atomsPerStep cells and deletions in one step of the merge, at least 1
 * @param keeps which rows go into the output; asked once for each row, as it is then
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

  /** What is outside of a merge. Asked once for each row that is merged, as it is then. */
  @FunctionalInterface
  public interface Outside {
    /**
     * The smallest timestamp that any live file outside of the merge, or any memtable, may hold for
     * a row; {@link Long#MAX_VALUE} if none of them can hold the row. Deletions with smaller
     * timestamps hide nothing out there.
     */
    long minTimestamp(RowKey key);
  }

  /** Checks that there is something to merge. */
  public MergeRequest {
    inputs = List.copyOf(inputs);
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a merge of no files");
    }
  }
}
