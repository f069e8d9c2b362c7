package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Exception;

/**
 * Reads the framed blocks of one component, and verifies the checksum of each before using it.
 * Thread-safe.
 */
final class BlockReader implements Closeable {
  private final ReadableFile file;
  private final String path;
  private final SSTableIdentity identity;
  private final Component component;
  private final long start;
  private final FileFooter footer;

  private BlockReader(
      ReadableFile file,
      String path,
      SSTableIdentity identity,
      Component component,
      long start,
      FileFooter footer) {
    this.file = file;
    this.path = path;
    this.identity = identity;
    this.component = component;
    this.start = start;
    this.footer = footer;
  }

  /** Opens a component and checks its header and footer. */
  static BlockReader open(FileSystem files, SSTableIdentity identity, Component component)
      throws IOException {
    String relative = identity.path(component);
    ReadableFile file = files.open(relative);
    try {
      String path = files.describe(relative);
      int start = identity.checkHeader(file, path, component.format());
      FileFooter footer = FileFooter.read(file, path, component.format(), start);
      return new BlockReader(file, path, identity, component, start, footer);
    } catch (IOException | RuntimeException failure) {
      file.close();
      throw failure;
    }
  }

  /** The file's name for messages. */
  String path() {
    return path;
  }

  /** The offset of the first block. */
  long start() {
    return start;
  }

  /** The offset at which the blocks end and the footer begins. */
  long end() {
    return footer.offset();
  }

  byte[] footerBody() {
    return footer.body();
  }

  ReadableFile file() {
    return file;
  }

  /**
   * Reads one block, uncompressed.
   *
   * @param frameBytes the length of its frame, or a little more
   * @throws CorruptFileException if it is not the block that was written there
   */
  byte[] read(long offset, int frameBytes) throws IOException {
    return decode(readFrame(offset, frameBytes), offset);
  }

  /** The length of the frame that begins at {@code offset}, which is at most {@code max}. */
  int frameBytes(long offset, int max) throws IOException {
    byte[] header = fill(offset, BlockFrame.HEADER_BYTES);
    int stored = ByteBuffer.wrap(header).getInt(4);
    if (stored < 0 || stored > max - BlockFrame.HEADER_BYTES || stored > end() - offset) {
      throw corrupt(offset + 4, "a stored length up to " + max, "" + stored);
    }
    return BlockFrame.HEADER_BYTES + stored;
  }

  CorruptFileException corrupt(long offset, String expected, String found) {
    return new CorruptFileException(path, offset, expected, found);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private byte[] readFrame(long offset, int frameBytes) throws IOException {
    if (offset < start || offset > end() - BlockFrame.HEADER_BYTES) {
      throw corrupt(offset, "a block between " + start + " and " + end(), "no block");
    }
    int available = (int) Math.min(frameBytes, end() - offset);
    if (available < BlockFrame.HEADER_BYTES) {
      throw corrupt(offset, "a block's header", available + " bytes");
    }
    return fill(offset, available);
  }

  private byte[] fill(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    try {
      file.read(offset, ByteBuffer.wrap(bytes));
    } catch (EOFException cut) {
      CorruptFileException corrupt = corrupt(offset, length + " bytes", "the end of the file");
      corrupt.initCause(cut);
      throw corrupt;
    }
    return bytes;
  }

  private byte[] decode(byte[] frame, long offset) throws CorruptFileException {
    ByteBuffer header = ByteBuffer.wrap(frame);
    int length = header.getInt();
    int stored = header.getInt();
    int codec = header.get();
    int expected = header.getInt();
    if (stored < 0 || stored > frame.length - BlockFrame.HEADER_BYTES) {
      throw corrupt(
          offset + 4,
          "a stored length up to " + (frame.length - BlockFrame.HEADER_BYTES),
          "" + stored);
    }
    int frameBytes = BlockFrame.HEADER_BYTES + stored;
    int found = BlockFrame.checksum(identity, component, offset, frame, frameBytes);
    if (found != expected) {
      throw corrupt(
          offset,
          "a block with checksum " + Checksums.text(expected),
          "checksum " + Checksums.text(found));
    }
    // From here on the header is what was written, unless the writer had a bug.
    byte[] block = new byte[uncompressedLength(length, stored, codec, offset)];
    if (codec == BlockFrame.STORED) {
      System.arraycopy(frame, BlockFrame.HEADER_BYTES, block, 0, stored);
      return block;
    }
    int written;
    try {
      written =
          BlockFrame.decompressor().decompress(frame, BlockFrame.HEADER_BYTES, stored, block, 0);
    } catch (LZ4Exception damage) {
      CorruptFileException corrupt = corrupt(offset, "an LZ4 block", "other bytes");
      corrupt.initCause(damage);
      throw corrupt;
    }
    if (written != length) {
      throw corrupt(offset, "a block of " + length + " bytes", written + " bytes");
    }
    return block;
  }

  private int uncompressedLength(int length, int stored, int codec, long offset)
      throws CorruptFileException {
    boolean possible =
        codec == BlockFrame.STORED
            ? length == stored
            : codec == BlockFrame.LZ4
                && length >= 0
                && length <= (stored + 1L) * BlockFrame.LZ4_MAX_RATIO;
    if (!possible) {
      throw corrupt(
          offset,
          "a known codec and a fitting length",
          "codec " + codec + ", " + length + " bytes in " + stored);
    }
    return length;
  }
}
