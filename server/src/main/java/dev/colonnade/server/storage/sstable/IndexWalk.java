package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of an index component one after the other, from the first data block to the
 * last, without the data file and without caches. Stands before the first entry at first. After an
 * exception it is of no further use. One thread at a time; blocks.
 */
final class IndexWalk {
  private final BlockReader index;
  private final ByteReader reader = new ByteReader(new byte[0]);
  private final SearchKey probe = new SearchKey();
  private final IndexBlock[] nodes;
  private final int[] slots;

  /** The offset of each node in the file. */
  private final long[] places;

  private boolean begun;

  private IndexWalk(BlockReader index, IndexBlock root, long place) {
    int height = root.level() + 1;
    this.index = index;
    this.nodes = new IndexBlock[height];
    this.slots = new int[height];
    this.places = new long[height];
    nodes[height - 1] = root;
    places[height - 1] = place;
  }

  /**
   * Reads the root.
   *
   * @throws dev.colonnade.server.base.codec.CorruptFileException if it is damaged
   */
  static IndexWalk open(BlockReader index) throws IOException {
    ByteReader footer = new ByteReader(index.footerBody());
    try {
      long offset = footer.readLong();
      return new IndexWalk(index, parse(index, offset, footer.readInt()), offset);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), index.end());
    }
  }

  /** How many levels the tree has. */
  int height() {
    return nodes.length;
  }

  /** Goes to the next entry; false at the end. */
  boolean next() throws IOException {
    if (!begun) {
      begun = true;
      descend(nodes.length - 1);
      return true;
    }
    int level = 0;
    while (level < nodes.length && slots[level] == nodes[level].entries() - 1) {
      level++;
    }
    if (level == nodes.length) {
      return false;
    }
    slots[level]++;
    descend(level);
    return true;
  }

  /** The row that the data block begins in. */
  RowKey key() throws IOException {
    try {
      return nodes[0].rowKey(slots[0], reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), places[0]);
    }
  }

  /** The place in that row; null if the block begins with the row. Valid until the next call. */
  @Nullable Position path() throws IOException {
    try {
      return nodes[0].path(slots[0], probe, reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), places[0]);
    }
  }

  /** The offset of the data block. */
  long offset() throws IOException {
    return childOffset(0);
  }

  /** The length of the data block's frame. */
  int frameBytes() throws IOException {
    return childFrameBytes(0);
  }

  /** The offset of the entry's block in the index component. */
  long place() {
    return places[0];
  }

  private void descend(int from) throws IOException {
    for (int level = from; level > 0; level--) {
      long offset = childOffset(level);
      IndexBlock child = parse(index, offset, childFrameBytes(level));
      if (child.level() != level - 1) {
        throw index.corrupt(offset, "level " + (level - 1), "" + child.level());
      }
      nodes[level - 1] = child;
      slots[level - 1] = 0;
      places[level - 1] = offset;
    }
  }

  private long childOffset(int level) throws IOException {
    try {
      return nodes[level].childOffset(slots[level], reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), places[level]);
    }
  }

  private int childFrameBytes(int level) throws IOException {
    try {
      return nodes[level].childFrameBytes(slots[level], reader);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), places[level]);
    }
  }

  private static IndexBlock parse(BlockReader index, long offset, int frameBytes)
      throws IOException {
    byte[] block = index.read(offset, frameBytes);
    try {
      return IndexBlock.parse(block);
    } catch (CorruptDataException damage) {
      throw damage.inFile(index.path(), offset);
    }
  }
}
