package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.RowKey;

/** Any data block is read to its end or refused. */
public final class BlockFuzzer {

  private BlockFuzzer() {}

  /** One input: a data block, uncompressed. */
  public static void fuzzerTestOneInput(byte[] data) {
    try {
      DataBlock block = DataBlock.parse(data);
      ByteReader reader = block.reader();
      for (int row = 0; row < block.rows(); row++) {
        RowKey key = block.rowKey(row, reader);
        block.findRow(key, reader);
        block.rowDeletion(row, reader);
        block.continuesAfter(row);
        for (int atom = block.firstAtom(row); atom < block.endAtom(row); atom++) {
          block.atom(atom, reader);
          block.openBefore(row, atom, reader);
        }
        block.search(row, Bound.END, true, TestRows.STANDARD, new SearchKey(), reader);
      }
      if (block.weightBytes() <= 0) {
        throw new AssertionError("a block without weight");
      }
    } catch (CorruptDataException refused) {
      // What it is for.
    }
  }
}
