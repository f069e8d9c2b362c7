package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;

/**
 * Walks the data blocks of one file from a place on, by the index alone: for each block, the row
 * that it begins with. One thread at a time; blocks only if the context allows it.
 */
public final class BlockKeyCursor {
  private final SSTable table;
  private final RowKey from;
  private final IndexCursor index;
  private boolean begun;

  BlockKeyCursor(SSTable table, RowKey from, ReadContext context) {
    this.table = table;
    this.from = from;
    this.index = new IndexCursor(table, context);
  }

  /**
   * Goes to the next block; first to the one that would hold {@code from}.
   *
   * @return false at the end, where there is no block to look at
   */
  public boolean next() throws IOException {
    if (begun) {
      return index.next();
    }
    begun = true;
    index.seek(from, null);
    return true;
  }

  /** The row that the block begins with or continues. */
  public RowKey key() throws IOException {
    try {
      return index.key();
    } catch (CorruptDataException damage) {
      throw table.damaged(damage, index.offset());
    }
  }

  /** The bytes that the block takes in the file. */
  public int bytes() throws IOException {
    return index.frameBytes();
  }
}
