package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.cache.CachedBlock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A node of the index in memory. Each entry says where a child begins, in the order of rows and
 * paths, and where it is in the file: data blocks under level 0, index blocks above.
 *
 * <p>Thread-safe; the {@link ByteReader} that the methods borrow is the caller's.
 */
final class IndexBlock implements CachedBlock {
  static final int KEY_ELSEWHERE = 1;
  static final int HAS_PATH = 1 << 1;
  static final int HAS_SUB = 1 << 2;
  static final int WEIGHT_SHIFT = 3;

  /** More than a file of the largest size can need, with two entries in every block. */
  static final int MAX_LEVEL = 60;

  private static final int OBJECT_BYTES = 96;

  private final byte[] bytes;
  private final int[] entryAt;

  /** The positions of each child's offset and length. */
  private final int[] childAt;

  private IndexBlock(byte[] bytes, int[] entryAt, int[] childAt) {
    this.bytes = bytes;
    this.entryAt = entryAt;
    this.childAt = childAt;
  }

  static IndexBlock parse(byte[] bytes) throws CorruptDataException {
    ByteReader reader = new ByteReader(bytes);
    reader.readVarint("level of an index block", MAX_LEVEL);
    int[] entryAt = new int[8 + bytes.length / 32];
    int[] childAt = new int[entryAt.length];
    int entries = 0;
    while (reader.hasRemaining()) {
      if (entries == entryAt.length) {
        entryAt = Arrays.copyOf(entryAt, 2 * entries);
        childAt = Arrays.copyOf(childAt, 2 * entries);
      }
      int at = reader.position();
      entryAt[entries] = at;
      int tag = reader.readByte();
      if ((tag & KEY_ELSEWHERE) != 0) {
        int elsewhere = reader.readVarint("place of a key", at);
        int back = reader.position();
        reader.position(elsewhere);
        KeyBytes.skip(reader);
        reader.position(back);
      } else {
        KeyBytes.skip(reader);
      }
      if ((tag & HAS_PATH) != 0) {
        reader.skip(reader.readLength("name", bytes.length));
      }
      if ((tag & HAS_SUB) != 0) {
        reader.skip(reader.readLength("subcolumn name", bytes.length));
      }
      childAt[entries++] = reader.position();
      reader.readVarint();
      reader.readVarint("length of a block", Integer.MAX_VALUE);
    }
    if (entries == 0) {
      throw reader.corrupt("entries of an index block", "at least one", "none");
    }
    return new IndexBlock(bytes, Arrays.copyOf(entryAt, entries), Arrays.copyOf(childAt, entries));
  }

  @Override
  public int weightBytes() {
    return OBJECT_BYTES + bytes.length + 8 * entryAt.length;
  }

  int level() {
    return bytes[0];
  }

  int entries() {
    return entryAt.length;
  }

  /**
   * The last entry at or before a place.
   *
   * @param path a place in the row; null for where the row begins
   * @return the entry's index, or -1 if all are after it
   */
  int floor(
      RowKey key, @Nullable Position path, PathOrder order, SearchKey probe, ByteReader reader)
      throws CorruptDataException {
    int low = 0;
    int high = entryAt.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(middle, key, path, order, probe, reader) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** The key of the row that the entry's child begins in. */
  RowKey rowKey(int entry, ByteReader reader) throws CorruptDataException {
    int tag = at(reader, entryAt[entry]).readByte();
    if ((tag & KEY_ELSEWHERE) != 0) {
      reader.position(reader.readVarint("place of a key", bytes.length));
    }
    byte[] token = reader.readBytes("token", bytes.length);
    return new RowKey(token, reader.readBytes("key", bytes.length));
  }

  /** The place in the row at which the entry's child begins; null if it begins with the row. */
  @Nullable Position path(int entry, SearchKey probe, ByteReader reader)
      throws CorruptDataException {
    int tag = at(reader, entryAt[entry]).readByte();
    if ((tag & KEY_ELSEWHERE) != 0) {
      reader.readVarint("place of a key", bytes.length);
    } else {
      KeyBytes.skip(reader);
    }
    if ((tag & HAS_PATH) == 0) {
      return null;
    }
    byte[] top = reader.readBytes("name", bytes.length);
    byte[] sub = (tag & HAS_SUB) != 0 ? reader.readBytes("subcolumn name", bytes.length) : null;
    return probe.set(top, sub, (tag >> WEIGHT_SHIFT) - 2);
  }

  long childOffset(int entry, ByteReader reader) throws CorruptDataException {
    return at(reader, childAt[entry]).readVarint();
  }

  int childFrameBytes(int entry, ByteReader reader) throws CorruptDataException {
    at(reader, childAt[entry]).readVarint();
    return reader.readVarint("length of a block", Integer.MAX_VALUE);
  }

  private int compare(
      int entry,
      RowKey key,
      @Nullable Position path,
      PathOrder order,
      SearchKey probe,
      ByteReader reader)
      throws CorruptDataException {
    int tag = at(reader, entryAt[entry]).readByte();
    int comparison;
    if ((tag & KEY_ELSEWHERE) != 0) {
      int elsewhere = reader.readVarint("place of a key", bytes.length);
      int back = reader.position();
      reader.position(elsewhere);
      comparison = KeyBytes.compare(reader, key);
      reader.position(back);
    } else {
      comparison = KeyBytes.compare(reader, key);
    }
    boolean hasPath = (tag & HAS_PATH) != 0;
    if (comparison != 0 || !hasPath) {
      return comparison != 0 || path == null ? comparison : -1;
    }
    if (path == null) {
      return 1;
    }
    byte[] top = reader.readBytes("name", bytes.length);
    byte[] sub = (tag & HAS_SUB) != 0 ? reader.readBytes("subcolumn name", bytes.length) : null;
    return order.compare(probe.set(top, sub, (tag >> WEIGHT_SHIFT) - 2), path);
  }

  private ByteReader at(ByteReader reader, int offset) throws CorruptDataException {
    if (reader.array() != bytes) {
      reader.reset(bytes, 0, bytes.length);
    }
    reader.position(offset);
    return reader;
  }
}
