package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sound data blocks of a file that may be damaged anywhere, in file order, without
 * relying on any length or on the index. Behind damage it looks at each byte whether a block begins
 * there: its checksum covers its place in the file, so what matches is a block of this file.
 *
 * <p>One thread at a time; blocks. Memory does not grow with the file.
 */
final class DamagedBlocks implements Closeable {

  /** Bytes in which no sound block stands. */
  record Gap(long offset, long bytes, String what) {}

  private static final int WINDOW_BYTES = 64 << 10;

  private final BlockReader data;
  private final List<CorruptFileException> endsDamaged;
  private final OpenComponents.@Nullable DataFooter footer;
  private final int maxFrameBytes;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES);
  private long windowAt = -1;
  private long next;
  private long offset;
  private @Nullable Gap gap;

  private DamagedBlocks(
      BlockReader data,
      List<CorruptFileException> endsDamaged,
      OpenComponents.@Nullable DataFooter footer,
      int maxFrameBytes) {
    this.data = data;
    this.endsDamaged = endsDamaged;
    this.footer = footer;
    this.maxFrameBytes = maxFrameBytes;
    this.next = data.start();
  }

  /**
   * Opens the rows of a file.
   *
   * @throws MismatchedFileException if it is another file
   * @throws UnreadableFileException if it is of another release
   */
  static DamagedBlocks open(FileSystem files, SSTableIdentity identity) throws IOException {
    List<CorruptFileException> damaged = new ArrayList<>();
    BlockReader data = BlockReader.openDamaged(files, identity, Component.DATA, damaged::add);
    try {
      OpenComponents.DataFooter footer = null;
      if (data.footerBody().length > 0) {
        try {
          footer = OpenComponents.DataFooter.read(data);
        } catch (CorruptFileException unusable) {
          damaged.add(unusable);
        }
      }
      int maxFrameBytes = footer != null ? footer.maxFrameBytes() : indexed(files, identity);
      return new DamagedBlocks(data, damaged, footer, maxFrameBytes);
    } catch (IOException | RuntimeException failure) {
      data.close();
      throw failure;
    }
  }

  /** The length of the longest frame by the index; a bound that excludes nothing without one. */
  private static int indexed(FileSystem files, SSTableIdentity identity) throws IOException {
    int longest = 0;
    try (BlockReader source = BlockReader.open(files, identity, Component.INDEX)) {
      IndexWalk index = IndexWalk.open(source);
      while (index.next()) {
        longest = Math.max(longest, index.frameBytes());
      }
      return longest;
    } catch (FileNotFoundException | UnreadableFileException | MismatchedFileException unusable) {
      return Integer.MAX_VALUE;
    }
  }

  /** The damage of header and footer. */
  List<CorruptFileException> endsDamaged() {
    return endsDamaged;
  }

  /** What the footer says; null if it is damaged. */
  OpenComponents.@Nullable DataFooter footer() {
    return footer;
  }

  String path() {
    return data.path();
  }

  /** The length of the file. */
  long fileBytes() throws IOException {
    return data.file().size();
  }

  /** Where blocks end: where the footer begins, or the end of the file if it is damaged. */
  long end() {
    return data.end();
  }

  /** The next sound block, or null at the end. */
  @Nullable DataBlock next() throws IOException {
    long from = next;
    String what = "";
    while (next < data.end()) {
      offset = next;
      int frame = frameAt(offset);
      if (frame == 0) {
        what = what.isEmpty() ? "its checksum does not match" : what;
        next = search(offset + 1);
        continue;
      }
      next = offset + frame;
      try {
        DataBlock block = DataBlock.parse(data.read(offset, frame));
        gap = from == offset ? null : new Gap(from, offset - from, what);
        return block;
      } catch (CorruptFileException unusable) {
        what = what.isEmpty() ? unusable.expected() + ", found " + unusable.found() : what;
      } catch (CorruptDataException unusable) {
        what = what.isEmpty() ? String.valueOf(unusable.getMessage()) : what;
      }
    }
    // Where a footer is missing, a cut between two blocks leaves no other trace.
    gap =
        from == data.end() && footer != null
            ? null
            : new Gap(from, data.end() - from, what.isEmpty() ? "the file is cut off" : what);
    return null;
  }

  /** What was damaged before the last returned block, or before the end; null if nothing was. */
  @Nullable Gap gap() {
    return gap;
  }

  /** The offset of the last returned block. */
  long offset() {
    return offset;
  }

  /** Bytes up to the end of the last returned block. */
  long bytesRead() {
    return next - data.start();
  }

  @Override
  public void close() throws IOException {
    data.close();
  }

  /** The next place from which a sound block stands, or the end. */
  private long search(long from) throws IOException {
    for (long at = from; at <= data.end() - BlockFrame.HEADER_BYTES; at++) {
      if (frameAt(at) != 0) {
        return at;
      }
    }
    return data.end();
  }

  /** The length of the sound frame that stands there; 0 if there is none. */
  private int frameAt(long at) throws IOException {
    if (at > data.end() - BlockFrame.HEADER_BYTES) {
      return 0;
    }
    if (windowAt < 0 || at < windowAt || at + BlockFrame.HEADER_BYTES > windowAt + window.limit()) {
      windowAt = at;
      data.file().read(at, window.clear().limit((int) Math.min(WINDOW_BYTES, data.end() - at)));
    }
    ByteBuffer header = window.slice((int) (at - windowAt), BlockFrame.HEADER_BYTES);
    return data.isSoundAt(at, header, maxFrameBytes)
        ? BlockFrame.HEADER_BYTES + header.getInt(4)
        : 0;
  }
}
