package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A place in the index: one data block, with the way down to it. One thread at a time. */
final class IndexCursor {
  private final SSTable table;
  private final ReadContext context;
  private final ByteReader reader = new ByteReader(new byte[0]);
  private final SearchKey probe = new SearchKey();
  private final IndexBlock[] nodes;
  private final int[] slots;

  /** Stands nowhere until {@link #seek} or {@link #first}. */
  IndexCursor(SSTable table, ReadContext context) {
    this(
        table,
        context,
        new IndexBlock[table.indexRoot().level() + 1],
        new int[table.indexRoot().level() + 1]);
  }

  private IndexCursor(SSTable table, ReadContext context, IndexBlock[] nodes, int[] slots) {
    this.table = table;
    this.context = context;
    this.nodes = nodes;
    this.slots = slots;
  }

  /** Another one at the same place. */
  IndexCursor copy() {
    return new IndexCursor(table, context, nodes.clone(), slots.clone());
  }

  /** Goes to the last block that begins at or before a place; to the first if none does. */
  void seek(RowKey key, @Nullable Position path) throws IOException {
    IndexBlock node = table.indexRoot();
    for (int level = nodes.length - 1; ; level--) {
      nodes[level] = node;
      slots[level] = Math.max(0, node.floor(key, path, table.identity().order(), probe, reader));
      if (level == 0) {
        return;
      }
      node = child(level);
    }
  }

  /** Goes to the first block of the file. */
  void first() throws IOException {
    nodes[nodes.length - 1] = table.indexRoot();
    slots[nodes.length - 1] = 0;
    descend(nodes.length - 1, false);
  }

  /** Goes to the next block; false, without moving, at the last. */
  boolean next() throws IOException {
    int level = 0;
    while (level < nodes.length && slots[level] == nodes[level].entries() - 1) {
      level++;
    }
    if (level == nodes.length) {
      return false;
    }
    slots[level]++;
    descend(level, false);
    return true;
  }

  /** Goes to the previous block; false, without moving, at the first. */
  boolean previous() throws IOException {
    int level = 0;
    while (level < nodes.length && slots[level] == 0) {
      level++;
    }
    if (level == nodes.length) {
      return false;
    }
    slots[level]--;
    descend(level, true);
    return true;
  }

  /** The row that the data block begins in. */
  RowKey key() throws CorruptDataException {
    return nodes[0].rowKey(slots[0], reader);
  }

  /** The offset of the data block. */
  long offset() throws IOException {
    return nodes[0].childOffset(slots[0], reader);
  }

  /** The length of the data block's frame. */
  int frameBytes() throws IOException {
    return nodes[0].childFrameBytes(slots[0], reader);
  }

  private void descend(int from, boolean toLast) throws IOException {
    for (int level = from; level > 0; level--) {
      IndexBlock node = child(level);
      nodes[level - 1] = node;
      slots[level - 1] = toLast ? node.entries() - 1 : 0;
    }
  }

  private IndexBlock child(int level) throws IOException {
    long offset = nodes[level].childOffset(slots[level], reader);
    int frameBytes = nodes[level].childFrameBytes(slots[level], reader);
    IndexBlock child = table.indexBlock(offset, frameBytes, context);
    if (child.level() != level - 1) {
      throw table.indexSource().corrupt(offset, "level " + (level - 1), "" + child.level());
    }
    return child;
  }
}
