package dev.colonnade.server.base.codec;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** CRC32C (Castagnoli, RFC 3720), the checksum of every format. */
public final class Checksums {
  private Checksums() {}

  /** The checksum of a range of bytes. */
  public static int crc32c(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /** The checksum of all the bytes. */
  public static int crc32c(byte[] bytes) {
    return crc32c(bytes, 0, bytes.length);
  }

  /** A checksum as messages print it: eight hexadecimal digits. */
  public static String text(int checksum) {
    return HexFormat.of().toHexDigits(checksum);
  }

  /** A checksum computed piece by piece; one thread at a time. */
  public static final class RunningChecksum {
    private final CRC32C crc = new CRC32C();
    private final byte[] number = new byte[8];

    /** Starts over. */
    public RunningChecksum reset() {
      crc.reset();
      return this;
    }

    /** Adds a range of bytes. */
    public RunningChecksum update(byte[] bytes, int offset, int length) {
      crc.update(bytes, offset, length);
      return this;
    }

    /** Adds the remaining bytes of {@code source}, and leaves its position alone. */
    public RunningChecksum update(ByteBuffer source) {
      crc.update(source.duplicate());
      return this;
    }

    /** Adds a number as eight bytes, big-endian. */
    public RunningChecksum updateLong(long value) {
      FixedWidth.putLong(number, 0, value);
      crc.update(number, 0, 8);
      return this;
    }

    /** Adds a number as four bytes, big-endian. */
    public RunningChecksum updateInt(int value) {
      FixedWidth.putInt(number, 0, value);
      crc.update(number, 0, 4);
      return this;
    }

    /** The checksum of everything added since the last reset. */
    public int value() {
      return (int) crc.getValue();
    }
  }
}
