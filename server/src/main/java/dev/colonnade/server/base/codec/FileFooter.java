package dev.colonnade.server.base.codec;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The footer of a file that is written once: it proves that the writer finished, and says where
 * things are. Read from the end:
 *
 * <pre>
 * offset from the end  bytes  field
 *              16 + n      n  body; its meaning belongs to the format
 *                  16      4  length of the body, big-endian, at most 1 MiB
 *                  12      4  CRC32C of body and length
 *                   8      4  kind, as in the header
 *                   4      4  magic: 44 4e 4c 43 ("DNLC")
 * </pre>
 */
public final class FileFooter {
  static final int MAGIC = 0x444e4c43;
  static final int FIXED_BYTES = 16;

  /** The longest body, in bytes. */
  public static final int MAX_BODY_BYTES = 1 << 20;

  private final byte[] body;
  private final long offset;

  private FileFooter(byte[] body, long offset) {
    this.body = body;
    this.offset = offset;
  }

  /** The content that the format wrote; not to be changed. */
  public byte[] body() {
    return body;
  }

  /** The offset of the footer in the file, which is the end of the content before it. */
  public long offset() {
    return offset;
  }

  /** Writes a footer. */
  public static void write(ByteWriter out, FileFormat format, byte[] body) {
    if (body.length > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "a footer body has at most " + MAX_BODY_BYTES + " bytes, not " + body.length);
    }
    int from = out.position();
    out.writeRaw(body);
    out.writeInt(body.length);
    out.writeInt(out.checksumFrom(from));
    out.writeInt(format.kindCode());
    out.writeInt(MAGIC);
  }

  /**
   * Reads and checks the footer at the end of a file whose header was read before.
   *
   * @param path for messages
   * @param headerLength bytes that belong to the header, where no footer can be
   * @throws CorruptFileException if it is damaged, cut short, or of another kind
   */
  public static FileFooter read(ReadableFile file, String path, FileFormat format, int headerLength)
      throws IOException {
    long size = file.size();
    if (size < (long) headerLength + FIXED_BYTES) {
      throw new CorruptFileException(
          path, size, "the footer of a " + format.name(), "the end of the file");
    }
    byte[] fixed = new byte[FIXED_BYTES];
    file.read(size - FIXED_BYTES, ByteBuffer.wrap(fixed));
    checkEnd(fixed, size, path, format);
    int bodyLength = FixedWidth.getInt(fixed, 0);
    if (bodyLength < 0
        || bodyLength > MAX_BODY_BYTES
        || bodyLength > size - headerLength - FIXED_BYTES) {
      throw new CorruptFileException(
          path, size - 16, "a footer body that fits the file", bodyLength + " bytes");
    }
    byte[] all = new byte[bodyLength + 4];
    long offset = size - FIXED_BYTES - bodyLength;
    file.read(offset, ByteBuffer.wrap(all));
    int expected = Checksums.crc32c(all);
    int found = FixedWidth.getInt(fixed, 4);
    if (expected != found) {
      throw new CorruptFileException(
          path, size - 12, "footer checksum " + Checksums.text(expected), Checksums.text(found));
    }
    return new FileFooter(Arrays.copyOf(all, bodyLength), offset);
  }

  private static void checkEnd(byte[] fixed, long size, String path, FileFormat format)
      throws CorruptFileException {
    int magic = FixedWidth.getInt(fixed, 12);
    if (magic != MAGIC) {
      throw new CorruptFileException(
          path, size - 4, "magic DNLC at the end", FileFormat.kindText(magic));
    }
    int kind = FixedWidth.getInt(fixed, 8);
    if (kind != format.kindCode()) {
      throw new CorruptFileException(
          path, size - 8, "kind " + format.kind(), FileFormat.kindText(kind));
    }
  }
}
