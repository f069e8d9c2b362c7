package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds the index from the leaves up while the data file is written. Of each level only the block
 * being filled is in memory.
 */
final class IndexBuilder {
  private final BlockWriter sink;
  private final int blockBytes;
  private final List<IndexBlockBuilder> levels = new ArrayList<>();
  private long rootOffset;
  private int rootFrameBytes;

  IndexBuilder(BlockWriter sink, int blockBytes) {
    this.sink = sink;
    this.blockBytes = blockBytes;
  }

  /** Adds the next data block. */
  void add(RowKey key, @Nullable Position path, long offset, int frameBytes) throws IOException {
    add(0, key, path, offset, frameBytes);
  }

  /** Writes what is still in memory and returns the footer's body. */
  byte[] finish() throws IOException {
    for (int level = 0; level < levels.size(); level++) {
      boolean top = level == levels.size() - 1;
      if (levels.get(level).entries() > 0) {
        flush(level, top);
      }
    }
    ByteWriter footer = new ByteWriter(32);
    footer.writeLong(rootOffset);
    footer.writeInt(rootFrameBytes);
    footer.writeInt(levels.size());
    footer.writeLong(sink.blocks());
    return footer.toByteArray();
  }

  private void add(int level, RowKey key, @Nullable Position path, long offset, int frameBytes)
      throws IOException {
    if (level == levels.size()) {
      levels.add(new IndexBlockBuilder(level, blockBytes));
    }
    // Flushed when the next entry comes, so that the last block of a level is never empty and a
    // level
    // that fits one block is the root.
    if (levels.get(level).isFull()) {
      flush(level, false);
    }
    levels.get(level).add(key, path, offset, frameBytes);
  }

  private void flush(int level, boolean root) throws IOException {
    IndexBlockBuilder block = levels.get(level);
    long offset = sink.offset();
    int frameBytes = sink.write(block.bytes(), block.length());
    RowKey key = Objects.requireNonNull(block.firstKey());
    Position path = block.firstPath();
    block.begin();
    if (root) {
      rootOffset = offset;
      rootFrameBytes = frameBytes;
    } else {
      add(level + 1, key, path, offset, frameBytes);
    }
  }
}
