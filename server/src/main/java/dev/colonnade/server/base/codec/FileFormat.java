package dev.colonnade.server.base.codec;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * One kind of file and the versions of it that this program reads; it writes the newest.
 *
 * @param name for messages, such as {@code commit log segment}
 * @param kind four ASCII characters that stand in the file
 * @param oldestVersion the oldest version still read, at least 1
 * @param newestVersion the version written, at most 65,535
 */
public record FileFormat(String name, String kind, int oldestVersion, int newestVersion) {

  /** Checks the ranges. */
  public FileFormat {
    if (!kind.matches("[!-~]{4}")) {
      throw new IllegalArgumentException("a file kind is four ASCII characters: " + kind);
    }
    if (oldestVersion < 1 || newestVersion < oldestVersion || newestVersion > 0xFFFF) {
      throw new IllegalArgumentException(
          "versions " + oldestVersion + " to " + newestVersion + " are not a range in 1 to 65535");
    }
  }

  int kindCode() {
    return FixedWidth.getInt(kind.getBytes(StandardCharsets.US_ASCII), 0);
  }

  static String kindText(int code) {
    byte[] bytes = new byte[4];
    FixedWidth.putInt(bytes, 0, code);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    return text.matches("[!-~]{4}") ? text : "bytes " + HexFormat.of().toHexDigits(code);
  }
}
