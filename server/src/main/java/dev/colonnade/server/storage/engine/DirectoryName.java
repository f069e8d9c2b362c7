package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.FamilyId;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The name of a column family's directory: the family's name, for people, and its id, which alone
 * counts. So two families never share a directory, also where a file system takes {@code A} and
 * {@code a} for the same name, or where what stands for their names was cut.
 */
final class DirectoryName {

  /** With the id well below the 255 bytes that a name has on most file systems. */
  private static final int NAME_CHARACTERS = 150;

  private DirectoryName() {}

  /**
   * Returns it. Letters of A to Z, digits and underscores stand for themselves, each byte of all
   * else in UTF-8 as a point and two hexadecimal digits: {@code my.20family-…}.
   */
  static String of(String family, FamilyId id) {
    StringBuilder name = new StringBuilder();
    for (byte each : family.getBytes(StandardCharsets.UTF_8)) {
      String part =
          isPlain(each) ? String.valueOf((char) each) : String.format(Locale.ROOT, ".%02x", each);
      if (name.length() + part.length() > NAME_CHARACTERS) {
        break;
      }
      name.append(part);
    }
    return name + "-" + id;
  }

  private static boolean isPlain(byte character) {
    return (character >= 'a' && character <= 'z')
        || (character >= 'A' && character <= 'Z')
        || (character >= '0' && character <= '9')
        || character == '_';
  }
}
