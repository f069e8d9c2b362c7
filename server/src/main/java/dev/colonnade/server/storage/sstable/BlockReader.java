package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.NoBufferException;
import dev.colonnade.server.storage.cache.FrameCache;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import net.jpountz.lz4.LZ4Exception;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the framed blocks of one component, and verifies the checksum of each before using it.
 * Thread-safe.
 */
final class BlockReader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(SSTable.class);

  /**
   * Frames up to this length are read into a buffer that the thread keeps outside of the heap. From
   * there a block is uncompressed or copied once, into the array in which it stays. The default
   * blocks fit.
   */
  static final int KEPT_BYTES = 64 << 10;

  private static final ThreadLocal<ByteBuffer> KEPT =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(KEPT_BYTES));

  private final ReadableFile file;
  private final String path;
  private final SSTableIdentity identity;
  private final Component component;
  private final long start;
  private final long end;
  private final byte[] footerBody;

  private BlockReader(
      ReadableFile file,
      String path,
      SSTableIdentity identity,
      Component component,
      long start,
      long end,
      byte[] footerBody) {
    this.file = file;
    this.path = path;
    this.identity = identity;
    this.component = component;
    this.start = start;
    this.end = end;
    this.footerBody = footerBody;
  }

  /** Opens a component and checks its header and footer. */
  static BlockReader open(FileSystem files, SSTableIdentity identity, Component component)
      throws IOException {
    String relative = identity.path(component);
    ReadableFile file =
        component == Component.DATA || component == Component.INDEX
            ? files.openLasting(relative)
            : files.open(relative);
    try {
      String path = files.describe(relative);
      int start = identity.checkHeader(file, path, component.format());
      FileFooter footer = FileFooter.read(file, path, component.format(), start);
      return new BlockReader(
          file, path, identity, component, start, footer.offset(), footer.body());
    } catch (IOException | RuntimeException failure) {
      file.close();
      throw failure;
    }
  }

  /**
   * Opens a component of which header or footer may be damaged: the blocks may begin where the
   * header ends that the identity has, and may reach up to the end of the file.
   *
   * @param damage is told of a damaged header and a damaged footer; without a footer its body is
   *     empty
   * @throws MismatchedFileException if a sound header says that it is another file
   */
  static BlockReader openDamaged(
      FileSystem files,
      SSTableIdentity identity,
      Component component,
      Consumer<CorruptFileException> damage)
      throws IOException {
    String relative = identity.path(component);
    ReadableFile file = files.open(relative);
    try {
      String path = files.describe(relative);
      ByteWriter header = new ByteWriter(128);
      identity.writeHeader(header, component.format());
      int start = (int) Math.min(header.position(), file.size());
      try {
        start = identity.checkHeader(file, path, component.format());
      } catch (CorruptFileException damaged) {
        damage.accept(damaged);
      }
      long end = file.size();
      byte[] footerBody = {};
      try {
        FileFooter footer = FileFooter.read(file, path, component.format(), start);
        end = footer.offset();
        footerBody = footer.body();
      } catch (CorruptFileException damaged) {
        damage.accept(damaged);
      }
      return new BlockReader(file, path, identity, component, start, end, footerBody);
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
    return end;
  }

  byte[] footerBody() {
    return footerBody;
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
      ByteBuffer frame = kept();
      fill(offset, frame.clear().limit(available));
      return decode(frame, available, offset);
    }
    // A large block that is not compressed is returned as it was read.
    ByteBuffer header = ByteBuffer.allocate(BlockFrame.HEADER_BYTES);
    fill(offset, header);
    byte[] bytes = new byte[bodyBytes(header, available, offset)];
    ByteBuffer body = ByteBuffer.wrap(bytes);
    fill(offset + BlockFrame.HEADER_BYTES, body);
    verify(header, body, 0, available, offset);
    return isStored(header) ? bytes : uncompress(header, body, 0, offset);
  }

  /**
   * Reads one block, and keeps its frame in memory if it is not too long.
   *
   * @param file the number of this data file in the caches
   */
  byte[] read(long offset, int frameBytes, FrameCache frames, long file) throws IOException {
    byte[] block = read(offset, frameBytes);
    if (frameBytes <= KEPT_BYTES) {
      // The buffer still holds the frame that was read, and now verified, on this thread.
      ByteBuffer frame = kept();
      frames.put(file, placeOf(offset), frame, BlockFrame.HEADER_BYTES + frame.getInt(4));
    }
    return block;
  }

  /**
   * Reads one block without waiting for the disk, and keeps its frame as {@link #read(long, int,
   * FrameCache, long)} does.
   *
   * @return null if the system does not have all of it in memory, if it is long, or if it is
   *     damaged: a read that may wait can tell
   */
  byte @Nullable [] readIfInMemory(long offset, int frameBytes, FrameCache frames, long file)
      throws IOException {
    int available = availableAt(offset, frameBytes);
    if (available > KEPT_BYTES) {
      return null;
    }
    ByteBuffer frame = kept();
    if (!this.file.readIfInMemory(offset, frame.clear().limit(available))) {
      return null;
    }
    byte[] block;
    try {
      block = decode(frame, available, offset);
    } catch (CorruptFileException damage) {
      return null;
    }
    frames.put(file, placeOf(offset), frame, BlockFrame.HEADER_BYTES + frame.getInt(4));
    return block;
  }

  /** As {@link #read}, if the frame is kept in memory; null if it is not. Touches no disk. */
  byte @Nullable [] readKept(long offset, FrameCache frames, long file) throws NoBufferException {
    if (frames.isEmpty()) {
      return null;
    }
    ByteBuffer frame = kept();
    int length = frames.find(file, placeOf(offset), frame);
    if (length < 0) {
      return null;
    }
    try {
      return decode(frame, length, offset);
    } catch (CorruptFileException damage) {
      LOG.warn(
          "{}; it was damaged in memory, and is read from the file again", damage.getMessage());
      frames.remove(file, placeOf(offset));
      return null;
    }
  }

  /** The components of a file share the cache; the offsets in one of them are negated there. */
  private long placeOf(long offset) {
    return component == Component.DATA ? offset : -offset;
  }

  private ByteBuffer kept() throws NoBufferException {
    try {
      return KEPT.get();
    } catch (OutOfMemoryError e) {
      if (!Errors.isOverload(e)) {
        throw e;
      }
      throw new NoBufferException(path, e);
    }
  }

  /** The length of the frame that begins at {@code offset}, which is at most {@code max}. */
  int frameBytes(long offset, int max) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(BlockFrame.HEADER_BYTES);
    fill(offset, header);
    int stored = header.getInt(4);
    if (stored < 0 || stored > max - BlockFrame.HEADER_BYTES || stored > end() - offset) {
      throw corrupt(offset + 4, "a stored length up to " + max, "" + stored);
    }
    return BlockFrame.HEADER_BYTES + stored;
  }

  /**
   * Whether a sound block stands at an offset, wherever that came from. Reads the block in pieces,
   * so that no length is relied upon before the checksum was compared.
   *
   * @param header the bytes from that offset on, at least those of a header
   * @param maxFrameBytes no frame is longer
   */
  boolean isSoundAt(long offset, ByteBuffer header, int maxFrameBytes) throws IOException {
    int stored = header.getInt(4);
    long available = Math.min(maxFrameBytes, end - offset) - BlockFrame.HEADER_BYTES;
    if (stored <= 0
        || stored > available
        || !BlockFrame.isPossible(header.getInt(0), stored, header.get(8))) {
      return false;
    }
    Checksums.RunningChecksum checksum = BlockFrame.begin(identity, component, offset, header);
    ByteBuffer piece = ByteBuffer.allocate(Math.min(stored, KEPT_BYTES));
    long from = offset + BlockFrame.HEADER_BYTES;
    for (int done = 0; done < stored; done += piece.limit()) {
      fill(from + done, piece.clear().limit(Math.min(piece.capacity(), stored - done)));
      checksum.update(piece.flip());
    }
    return checksum.value() == header.getInt(BlockFrame.CHECKSUM_AT);
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

  /** Fills what remains of the target. */
  private void fill(long offset, ByteBuffer target) throws IOException {
    int length = target.remaining();
    try {
      file.read(offset, target);
    } catch (EOFException cut) {
      CorruptFileException corrupt = corrupt(offset, length + " bytes", "the end of the file");
      corrupt.initCause(cut);
      throw corrupt;
    }
  }

  /** How many bytes follow the header of a frame. */
  private int bodyBytes(ByteBuffer header, int available, long offset) throws CorruptFileException {
    int stored = header.getInt(4);
    if (stored < 0 || stored > available - BlockFrame.HEADER_BYTES) {
      throw corrupt(
          offset + 4,
          "a stored length up to " + (available - BlockFrame.HEADER_BYTES),
          "" + stored);
    }
    return stored;
  }

  /** The block of a frame that stands at the start of a buffer. */
  private byte[] decode(ByteBuffer frame, int available, long offset) throws CorruptFileException {
    verify(frame, frame, BlockFrame.HEADER_BYTES, available, offset);
    if (!isStored(frame)) {
      return uncompress(frame, frame, BlockFrame.HEADER_BYTES, offset);
    }
    byte[] block = new byte[frame.getInt(0)];
    frame.get(BlockFrame.HEADER_BYTES, block);
    return block;
  }

  private static boolean isStored(ByteBuffer header) {
    return header.get(8) == BlockFrame.STORED;
  }

  private void verify(ByteBuffer header, ByteBuffer body, int bodyFrom, int available, long offset)
      throws CorruptFileException {
    int stored = bodyBytes(header, available, offset);
    int expected = header.getInt(BlockFrame.CHECKSUM_AT);
    int found = BlockFrame.checksum(identity, component, offset, header, body, bodyFrom, stored);
    if (found != expected) {
      throw corrupt(
          offset,
          "a block with checksum " + Checksums.text(expected),
          "checksum " + Checksums.text(found));
    }
    // From here on the header is what was written, unless the writer had a bug.
    requirePossible(header.getInt(0), stored, header.get(8), offset);
  }

  private byte[] uncompress(ByteBuffer header, ByteBuffer body, int bodyFrom, long offset)
      throws CorruptFileException {
    byte[] block = new byte[header.getInt(0)];
    int written;
    try {
      written =
          BlockFrame.decompressor()
              .decompress(
                  body, bodyFrom, header.getInt(4), ByteBuffer.wrap(block), 0, block.length);
    } catch (LZ4Exception damage) {
      CorruptFileException corrupt = corrupt(offset, "an LZ4 block", "other bytes");
      corrupt.initCause(damage);
      throw corrupt;
    }
    if (written != block.length) {
      throw corrupt(offset, "a block of " + block.length + " bytes", written + " bytes");
    }
    return block;
  }

  private void requirePossible(int length, int stored, int codec, long offset)
      throws CorruptFileException {
    if (!BlockFrame.isPossible(length, stored, codec)) {
      throw corrupt(
          offset,
          "a known codec and a fitting length",
          "codec " + codec + ", " + length + " bytes in " + stored);
    }
  }
}
