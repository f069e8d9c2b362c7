package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.Checksums;
import java.nio.ByteBuffer;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * The frame of a block in a file: a header of 13 bytes, then the block, compressed or not. The
 * checksum covers the block's place as well as its content, so that a sound block in the wrong
 * place, or of another file, is rejected like a damaged one.
 */
final class BlockFrame {
  /** Uncompressed length, stored length, codec, checksum. */
  static final int HEADER_BYTES = 4 + 4 + 1 + 4;

  static final int CHECKSUM_AT = 9;
  static final int STORED = 0;
  static final int LZ4 = 1;

  /** The most that can come out of one compressed byte, plus a little: LZ4's own bound. */
  static final int LZ4_MAX_RATIO = 255;

  /** The largest block: what fits an array. */
  static final int MAX_BLOCK_BYTES = Integer.MAX_VALUE - (64 << 10);

  private static final LZ4Factory FACTORY = LZ4Factory.fastestInstance();

  private BlockFrame() {}

  static LZ4Compressor compressor() {
    return FACTORY.fastCompressor();
  }

  static LZ4SafeDecompressor decompressor() {
    return FACTORY.safeDecompressor();
  }

  /** The checksum of a frame whose header and body stand in {@code frame} from 0 on. */
  static int checksum(
      SSTableIdentity identity, Component component, long offset, byte[] frame, int length) {
    ByteBuffer whole = ByteBuffer.wrap(frame);
    return checksum(identity, component, offset, whole, whole, HEADER_BYTES, length - HEADER_BYTES);
  }

  /**
   * The checksum of a frame whose header stands at the start of a buffer and its body in one; their
   * positions and limits do not matter.
   */
  static int checksum(
      SSTableIdentity identity,
      Component component,
      long offset,
      ByteBuffer header,
      ByteBuffer body,
      int bodyFrom,
      int bodyLength) {
    return begin(identity, component, offset, header)
        .update(body.duplicate().clear().position(bodyFrom).limit(bodyFrom + bodyLength))
        .value();
  }

  /** The checksum of all that is before the body; the body is to be added. */
  static Checksums.RunningChecksum begin(
      SSTableIdentity identity, Component component, long offset, ByteBuffer header) {
    return new Checksums.RunningChecksum()
        .updateLong(identity.family().high())
        .updateLong(identity.family().low())
        .updateLong(identity.generation())
        .updateInt(component.number())
        .updateLong(offset)
        .update(header.duplicate().clear().limit(CHECKSUM_AT));
  }

  /** Whether a writer could have given a block of {@code stored} bytes this length and codec. */
  static boolean isPossible(int length, int stored, int codec) {
    return codec == STORED
        ? length == stored
        : codec == LZ4 && length >= 0 && length <= (stored + 1L) * LZ4_MAX_RATIO;
  }
}
