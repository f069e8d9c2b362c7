package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.RowKey;

/** Whatever an index block holds, it is searched or refused. */
public final class IndexFuzzer {

  private static final RowKey KEY = new RowKey(new byte[] {0, 1}, new byte[] {'k'});

  private IndexFuzzer() {}

  /** One input: an index block, uncompressed. */
  public static void fuzzerTestOneInput(byte[] data) {
    try {
      IndexBlock block = IndexBlock.parse(data);
      ByteReader reader = new ByteReader(data);
      SearchKey probe = new SearchKey();
      block.floor(KEY, null, TestRows.STANDARD, probe, reader);
      block.floor(KEY, Bound.END, TestRows.STANDARD, probe, reader);
      for (int entry = 0; entry < block.entries(); entry++) {
        block.childOffset(entry, reader);
        if (block.childFrameBytes(entry, reader) < 0) {
          throw new AssertionError("a frame of negative length");
        }
      }
    } catch (CorruptDataException refused) {
      // What it is for.
    }
  }
}
