package dev.colonnade.server.base.codec;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Bytes of a fuzzer made to pass the checksums of our files, since no fuzzer guesses those, and the
 * code behind the check is to be reached as well.
 */
public final class FuzzBytes {

  private FuzzBytes() {}

  /** Whether the input asks for right checksums: the first byte decides, the rest is the file. */
  public static boolean wantsChecksums(byte[] data) {
    return data.length > 0 && (data[0] & 1) == 1;
  }

  /** The file in the input. */
  public static byte[] file(byte[] data) {
    return data.length == 0 ? data : Arrays.copyOfRange(data, 1, data.length);
  }

  /**
   * Puts the right checksum into the header, if there is a whole one.
   *
   * @return its length; 0 if there is none
   */
  public static int mendHeader(byte[] file) {
    if (file.length < FileHeader.FIXED_BYTES + 4) {
      return 0;
    }
    int body = ByteBuffer.wrap(file).getInt(10);
    if (body < 0 || body > file.length - FileHeader.FIXED_BYTES - 4) {
      return 0;
    }
    int checksumAt = FileHeader.FIXED_BYTES + body;
    ByteBuffer.wrap(file).putInt(checksumAt, Checksums.crc32c(file, 0, checksumAt));
    return checksumAt + 4;
  }

  /**
   * Puts the right checksum into the footer, if there is a whole one.
   *
   * @return where it begins; the file's length if there is none
   */
  public static int mendFooter(byte[] file, int header) {
    int fixed = file.length - FileFooter.FIXED_BYTES;
    if (fixed < header) {
      return file.length;
    }
    int body = ByteBuffer.wrap(file).getInt(fixed);
    if (body < 0 || body > fixed - header) {
      return file.length;
    }
    int checksum = Checksums.crc32c(file, fixed - body, body + 4);
    ByteBuffer.wrap(file).putInt(fixed + 4, checksum);
    return fixed - body;
  }
}
