package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.CorruptDataException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the data blocks of a file one after the other, without an index. One thread at a time. */
final class BlockWalk {
  private final BlockReader data;
  private final int maxFrameBytes;
  private long next;
  private long offset;
  private int frameBytes;

  BlockWalk(BlockReader data, OpenComponents.DataFooter footer) {
    this.data = data;
    this.maxFrameBytes = footer.maxFrameBytes();
    this.next = data.start();
    this.offset = data.start();
  }

  /** The next block, or null at the end. */
  @Nullable DataBlock next() throws IOException {
    if (next == data.end()) {
      return null;
    }
    offset = next;
    frameBytes = data.frameBytes(offset, maxFrameBytes);
    next = offset + frameBytes;
    try {
      return DataBlock.parse(data.read(offset, frameBytes));
    } catch (CorruptDataException damage) {
      throw damage.inFile(data.path(), offset);
    }
  }

  /** The offset of the last returned block. */
  long offset() {
    return offset;
  }

  /** The length of its frame. */
  int frameBytes() {
    return frameBytes;
  }

  /** Bytes read so far, of {@link #totalBytes}. */
  long bytesRead() {
    return next - data.start();
  }

  long totalBytes() {
    return data.end() - data.start();
  }
}
