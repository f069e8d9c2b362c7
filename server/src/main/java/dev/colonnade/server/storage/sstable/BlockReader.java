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
import java.util.Arrays;
import net.jpountz.lz4.LZ4Exception;

/**
 * Reads the framed blocks of one component, and verifies the checksum of each before using it.
 * Thread-safe.
 */
final class BlockReader implements Closeable {

  /**
   * Frames up to this length are read into an array that the thread keeps: they are garbage as soon
   * as they are uncompressed, as much of it as the blocks themselves. The default blocks fit.
   */
  private static final int KEPT_BYTES = 64 << 10;

  private static final ThreadLocal<byte[]> KEPT =
      ThreadLocal.withInitial(() -> new byte[KEPT_BYTES]);

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
    int available = availableAt(offset, frameBytes);
    if (available <= KEPT_BYTES) {
      byte[] frame = KEPT.get();
      fill(offset, frame, available);
      return decode(frame, frame, BlockFrame.HEADER_BYTES, available, offset);
    }
    // A large block that is not compressed is returned as it was read.
    byte[] header = new byte[BlockFrame.HEADER_BYTES];
    fill(offset, header, header.length);
    byte[] body = new byte[bodyBytes(header, available, offset)];
    fill(offset + header.length, body, body.length);
    return decode(header, body, 0, available, offset);
  }

  /** The length of the frame that begins at {@code offset}, which is at most {@code max}. */
  int frameBytes(long offset, int max) throws IOException {
    byte[] header = new byte[BlockFrame.HEADER_BYTES];
    fill(offset, header, header.length);
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

  /** How many bytes of a frame the file can have. */
  private int availableAt(long offset, int frameBytes) throws CorruptFileException {
    if (offset < start || offset > end() - BlockFrame.HEADER_BYTES) {
      throw corrupt(offset, "a block between " + start + " and " + end(), "no block");
    }
    int available = (int) Math.min(frameBytes, end() - offset);
    if (available < BlockFrame.HEADER_BYTES) {
      throw corrupt(offset, "a block's header", available + " bytes");
    }
    return available;
  }

  private void fill(long offset, byte[] target, int length) throws IOException {
    try {
      file.read(offset, ByteBuffer.wrap(target, 0, length));
    } catch (EOFException cut) {
      CorruptFileException corrupt = corrupt(offset, length + " bytes", "the end of the file");
      corrupt.initCause(cut);
      throw corrupt;
    }
  }

  /** How many bytes follow the header of a frame. */
  private int bodyBytes(byte[] header, int available, long offset) throws CorruptFileException {
    int stored = ByteBuffer.wrap(header).getInt(4);
    if (stored < 0 || stored > available - BlockFrame.HEADER_BYTES) {
      throw corrupt(
          offset + 4,
          "a stored length up to " + (available - BlockFrame.HEADER_BYTES),
          "" + stored);
    }
    return stored;
  }

  private byte[] decode(byte[] head, byte[] body, int bodyFrom, int available, long offset)
      throws CorruptFileException {
    int stored = bodyBytes(head, available, offset);
    ByteBuffer header = ByteBuffer.wrap(head);
    int length = header.getInt(0);
    int codec = header.get(8);
    int expected = header.getInt(BlockFrame.CHECKSUM_AT);
    int found = BlockFrame.checksum(identity, component, offset, head, body, bodyFrom, stored);
    if (found != expected) {
      throw corrupt(
          offset,
          "a block with checksum " + Checksums.text(expected),
          "checksum " + Checksums.text(found));
    }
    // From here on the header is what was written, unless the writer had a bug.
    int uncompressed = uncompressedLength(length, stored, codec, offset);
    if (codec == BlockFrame.STORED) {
      return bodyFrom == 0 ? body : Arrays.copyOfRange(body, bodyFrom, bodyFrom + stored);
    }
    byte[] block = new byte[uncompressed];
    int written;
    try {
      written = BlockFrame.decompressor().decompress(body, bodyFrom, stored, block, 0);
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
