package dev.colonnade.server.base.codec;

import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The header of every file. The layout is the same for all kinds and never changes, so that any
 * release can tell a file of another release from a damaged one:
 *
 * <pre>
 * offset  bytes  field
 *      0      4  magic: 43 4c 4e 44 ("CLND")
 *      4      4  kind, four ASCII characters
 *      8      2  format version, big-endian
 *     10      4  length of the body, big-endian, at most 1 MiB
 *     14      n  body; its meaning belongs to the format
 *   14+n      4  CRC32C of everything before
 * </pre>
 */
public final class FileHeader {
  static final int MAGIC = 0x434c4e44;
  static final int FIXED_BYTES = 14;

  /** The longest body, in bytes. */
  public static final int MAX_BODY_BYTES = 1 << 20;

  private final int version;
  private final byte[] body;
  private final int length;

  private FileHeader(int version, byte[] body, int length) {
    this.version = version;
    this.body = body;
    this.length = length;
  }

  /** The format version, in the range that the format reads. */
  public int version() {
    return version;
  }

  /** The content that the format wrote; not to be changed. */
  public byte[] body() {
    return body;
  }

  /** Length of the whole header, which is the offset of the content after it. */
  public int length() {
    return length;
  }

  /** Writes a header of the format's newest version. */
  public static void write(ByteWriter out, FileFormat format, byte[] body) {
    if (body.length > MAX_BODY_BYTES) {
      throw new IllegalArgumentException(
          "a header body has at most " + MAX_BODY_BYTES + " bytes, not " + body.length);
    }
    int from = out.position();
    out.writeInt(MAGIC);
    out.writeInt(format.kindCode());
    out.writeShort(format.newestVersion());
    out.writeInt(body.length);
    out.writeRaw(body);
    out.writeInt(out.checksumFrom(from));
  }

  /**
   * Reads and checks the header at the start of a file.
   *
   * @param path for messages
   * @throws CorruptFileException if it is damaged, cut short, or of another kind
   * @throws FormatTooOldException if its version is no longer read
   * @throws FormatTooNewException if its version is not known yet
   */
  public static FileHeader read(ReadableFile file, String path, FileFormat format)
      throws IOException {
    long size = file.size();
    if (size < FIXED_BYTES + 4) {
      throw new CorruptFileException(
          path, size, "the header of a " + format.name(), "a file of " + size + " bytes");
    }
    byte[] fixed = new byte[FIXED_BYTES];
    file.read(0, ByteBuffer.wrap(fixed));
    int bodyLength = FixedWidth.getInt(fixed, 10);
    checkStart(fixed, bodyLength, size, path, format);
    byte[] all = new byte[FIXED_BYTES + bodyLength + 4];
    file.read(0, ByteBuffer.wrap(all));
    return parse(all, path, format);
  }

  private static void checkStart(
      byte[] fixed, int bodyLength, long size, String path, FileFormat format)
      throws CorruptFileException {
    if (FixedWidth.getInt(fixed, 0) != MAGIC) {
      throw new CorruptFileException(
          path, 0, "magic CLND", FileFormat.kindText(FixedWidth.getInt(fixed, 0)));
    }
    if (bodyLength < 0 || bodyLength > MAX_BODY_BYTES) {
      throw new CorruptFileException(
          path, 10, "a header body of at most " + MAX_BODY_BYTES + " bytes", "" + bodyLength);
    }
    if (size < FIXED_BYTES + bodyLength + 4) {
      throw new CorruptFileException(
          path,
          size,
          "the " + (FIXED_BYTES + bodyLength + 4) + " bytes of the header of a " + format.name(),
          "a file of " + size + " bytes");
    }
  }

  private static FileHeader parse(byte[] all, String path, FileFormat format)
      throws UnreadableFileException {
    int checksumAt = all.length - 4;
    int expected = Checksums.crc32c(all, 0, checksumAt);
    int found = FixedWidth.getInt(all, checksumAt);
    if (expected != found) {
      throw new CorruptFileException(
          path, checksumAt, "header checksum " + Checksums.text(expected), Checksums.text(found));
    }
    int kind = FixedWidth.getInt(all, 4);
    if (kind != format.kindCode()) {
      throw new CorruptFileException(
          path, 4, "kind " + format.kind() + " (" + format.name() + ")", FileFormat.kindText(kind));
    }
    int version = (all[8] & 0xFF) << 8 | (all[9] & 0xFF);
    if (version < format.oldestVersion()) {
      throw new FormatTooOldException(path, version, format.oldestVersion());
    }
    if (version > format.newestVersion()) {
      throw new FormatTooNewException(path, version, format.newestVersion());
    }
    byte[] body = Arrays.copyOfRange(all, FIXED_BYTES, checksumAt);
    return new FileHeader(version, body, all.length);
  }
}
