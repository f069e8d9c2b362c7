package dev.colonnade.server.storage.sstable;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Compares the checksums of an open file with its bytes on disk, a part at a time: of rows, sparse
 * index, filter and statistics. (The key index changes while it is open; what it says is confirmed
 * by the rows at each read.) Nothing is put into a cache.
 *
 * <p>One thread at a time; blocks.
 */
public final class SSTableSweep {

  private static final Component[] PARTS = {Component.DATA, Component.INDEX, Component.FILTER};

  private int part;

  /** Where it goes on in the part; 0 for its first block. */
  private long offset;

  private long blocks;

  /** Whether all of the file was compared. */
  public boolean isDone() {
    return part > PARTS.length;
  }

  /** How many blocks were compared. */
  public long blocks() {
    return blocks;
  }

  /**
   * Goes on.
   *
   * @param table the file, the same each time, of which the caller holds a reference
   * @param bytesMax ends after the block with which this many bytes were read
   * @return bytes read
   * @throws dev.colonnade.server.base.codec.CorruptFileException if a block is damaged; the file's
   *     sweep is over
   */
  public long step(SSTableResources resources, SSTable table, long bytesMax) throws IOException {
    long read = 0;
    while (part < PARTS.length && read < bytesMax) {
      if (PARTS[part] == Component.FILTER) {
        try (BlockReader filter =
            BlockReader.open(resources.files(), table.identity(), Component.FILTER)) {
          read += step(filter, bytesMax - read);
        }
      } else {
        read += step(source(table), bytesMax - read);
      }
    }
    if (part == PARTS.length && read < bytesMax) {
      read += MetaFile.read(resources, table.identity()).bytes();
      blocks++;
      part++;
    }
    return read;
  }

  private BlockReader source(SSTable table) {
    return PARTS[part] == Component.DATA ? table.components().data() : table.indexSource();
  }

  private long step(BlockReader source, long bytesMax) throws IOException {
    long from = Math.max(offset, source.start());
    long at = from;
    ByteBuffer header = ByteBuffer.allocate(BlockFrame.HEADER_BYTES);
    while (at < source.end() && at - from < bytesMax) {
      if (source.end() - at >= BlockFrame.HEADER_BYTES) {
        source.file().read(at, header.clear());
      }
      if (source.end() - at < BlockFrame.HEADER_BYTES
          || !source.isSoundAt(at, header.flip(), Integer.MAX_VALUE)) {
        throw source.corrupt(at, "a block that its checksum matches", "other bytes");
      }
      at += BlockFrame.HEADER_BYTES + header.getInt(4);
      blocks++;
    }
    offset = at;
    if (at == source.end()) {
      part++;
      offset = 0;
    }
    return at - from;
  }
}
