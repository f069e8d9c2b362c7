package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.FileFooter;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;

/** Writes one component: its header, framed blocks one after the other, its footer. */
final class BlockWriter implements Closeable {
  /** Compression must save an eighth to be worth decompressing at every read. */
  private static final int WORTH_IT_SHIFT = 3;

  private final WritableFile file;
  private final SSTableIdentity identity;
  private final Component component;
  private final SSTableSettings.BlockCompression compression;
  private final LZ4Compressor compressor = BlockFrame.compressor();
  private byte[] frame = new byte[0];
  private long offset;
  private long uncompressedBytes;
  private long blocks;
  private int maxFrameBytes;

  private BlockWriter(
      WritableFile file,
      SSTableIdentity identity,
      Component component,
      SSTableSettings.BlockCompression compression) {
    this.file = file;
    this.identity = identity;
    this.component = component;
    this.compression = compression;
  }

  /** Starts the component under its temporary name. */
  static BlockWriter create(
      FileSystem files,
      SSTableIdentity identity,
      Component component,
      SSTableSettings.BlockCompression compression)
      throws IOException {
    ByteWriter header = new ByteWriter(256);
    identity.writeHeader(header, component.format());
    WritableFile file = files.create(identity.temporaryPath(component));
    BlockWriter sink = new BlockWriter(file, identity, component, compression);
    try {
      file.write(header.asByteBuffer());
    } catch (IOException failure) {
      file.close();
      throw failure;
    }
    sink.offset = header.position();
    return sink;
  }

  /** The offset of the next block. */
  long offset() {
    return offset;
  }

  long uncompressedBytes() {
    return uncompressedBytes;
  }

  long blocks() {
    return blocks;
  }

  int maxFrameBytes() {
    return maxFrameBytes;
  }

  /** Writes a block and returns the length of its frame. */
  int write(byte[] block, int length) throws IOException {
    int frameBytes = encode(block, length);
    ByteBuffer header = ByteBuffer.wrap(frame);
    int checksum = BlockFrame.checksum(identity, component, offset, frame, frameBytes);
    header.putInt(BlockFrame.CHECKSUM_AT, checksum);
    file.write(ByteBuffer.wrap(frame, 0, frameBytes));
    offset += frameBytes;
    uncompressedBytes += length;
    blocks++;
    maxFrameBytes = Math.max(maxFrameBytes, frameBytes);
    return frameBytes;
  }

  /** Writes the footer and makes the file durable under its temporary name. */
  void finish(byte[] footerBody) throws IOException {
    ByteWriter footer = new ByteWriter(footerBody.length + 64);
    FileFooter.write(footer, component.format(), footerBody);
    file.write(footer.asByteBuffer());
    file.sync();
    offset += footer.position();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Fills {@code frame} except for the checksum; returns its length. */
  private int encode(byte[] block, int length) {
    boolean compress = compression == SSTableSettings.BlockCompression.LZ4 && length >= 64;
    int bodyLimit = compress ? Math.max(length, compressor.maxCompressedLength(length)) : length;
    if (frame.length < BlockFrame.HEADER_BYTES + bodyLimit
        || frame.length > Math.max(1 << 20, 4 * (BlockFrame.HEADER_BYTES + bodyLimit))) {
      frame = new byte[BlockFrame.HEADER_BYTES + bodyLimit];
    }
    int stored = length;
    int codec = BlockFrame.STORED;
    if (compress) {
      int compressed =
          compressor.compress(
              block,
              0,
              length,
              frame,
              BlockFrame.HEADER_BYTES,
              frame.length - BlockFrame.HEADER_BYTES);
      if (compressed <= length - (length >> WORTH_IT_SHIFT)) {
        stored = compressed;
        codec = BlockFrame.LZ4;
      }
    }
    if (codec == BlockFrame.STORED) {
      System.arraycopy(block, 0, frame, BlockFrame.HEADER_BYTES, length);
    }
    ByteBuffer.wrap(frame).putInt(length).putInt(stored).put((byte) codec);
    return BlockFrame.HEADER_BYTES + stored;
  }
}
