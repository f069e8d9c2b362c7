package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import org.jspecify.annotations.Nullable;

/** Encodes one block of the index at a time; {@link IndexBlock} reads it. */
final class IndexBlockBuilder {
  private final ByteWriter out;
  private final int level;
  private final int blockBytes;
  private int entries;
  private @Nullable RowKey lastKey;
  private int lastKeyAt;
  private @Nullable RowKey firstKey;
  private @Nullable Position firstPath;

  IndexBlockBuilder(int level, int blockBytes) {
    this.level = level;
    this.blockBytes = blockBytes;
    this.out = new ByteWriter(2 * blockBytes);
    begin();
  }

  /**
   * Adds an entry.
   *
   * @param path the first atom's if the child begins inside a row; null if it begins with a row
   * @param offset of the child's frame in its file
   * @param frameBytes of the child
   */
  void add(RowKey key, @Nullable Position path, long offset, int frameBytes) {
    if (entries++ == 0) {
      firstKey = key;
      firstPath = path;
    }
    boolean sameKey = lastKey != null && lastKey.equals(key);
    byte[] sub = path == null ? null : path.sub();
    int tag = sameKey ? IndexBlock.KEY_ELSEWHERE : 0;
    tag |= path != null ? IndexBlock.HAS_PATH : 0;
    tag |= sub != null ? IndexBlock.HAS_SUB : 0;
    tag |= path != null ? (path.weight() + 2) << IndexBlock.WEIGHT_SHIFT : 0;
    out.writeByte(tag);
    if (sameKey) {
      out.writeVarint(lastKeyAt);
    } else {
      lastKey = key;
      lastKeyAt = out.position();
      out.writeBytes(key.token());
      out.writeBytes(key.key());
    }
    if (path != null) {
      out.writeBytes(path.top());
    }
    if (sub != null) {
      out.writeBytes(sub);
    }
    out.writeVarint(offset);
    out.writeVarint(frameBytes);
  }

  /** Whether the block has reached its size; it always takes at least two entries. */
  boolean isFull() {
    return entries >= 2 && out.position() >= blockBytes;
  }

  int entries() {
    return entries;
  }

  /** The key of the first entry. */
  @Nullable RowKey firstKey() {
    return firstKey;
  }

  /** The path of the first entry. */
  @Nullable Position firstPath() {
    return firstPath;
  }

  byte[] bytes() {
    return out.array();
  }

  int length() {
    return out.position();
  }

  /** Forgets the last block and starts another. */
  void begin() {
    out.resetAndShrink(2 * blockBytes);
    out.writeByte(level);
    entries = 0;
    lastKey = null;
  }
}
