package dev.colonnade.server.base.schema;

import java.util.regex.Pattern;

/** The valid names of keyspaces and column families. */
final class Names {

  /** Short enough for messages, file names and metrics labels. */
  static final int MAX_CHARACTERS = 48;

  /** Of column families, whose names are free text but stand in messages and metrics labels. */
  static final int MAX_FAMILY_CHARACTERS = 128;

  private static final int QUOTED_CHARACTERS = 60;
  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_]+");
  private static final Pattern DATACENTER = Pattern.compile("[A-Za-z0-9_.-]{1,48}");

  private Names() {}

  static void check(String field, String name) throws SchemaException {
    if (name.length() > MAX_CHARACTERS || !ALLOWED.matcher(name).matches()) {
      throw SchemaException.invalid(
          field,
          "a name is 1 to "
              + MAX_CHARACTERS
              + " letters (A to Z, a to z), digits or underscores; got "
              + quote(name));
    }
  }

  /**
   * Checks the name of a column family. It may be any text that a person can see and type: two
   * names that look alike, or one that changes how a log or a terminal shows the rest of its line,
   * would mislead.
   */
  static void checkFamily(String field, String name) throws SchemaException {
    if (name.isEmpty()
        || name.length() > MAX_FAMILY_CHARACTERS
        || !name.codePoints().allMatch(Names::isVisible)
        || name.startsWith(" ")
        || name.endsWith(" ")) {
      throw SchemaException.invalid(
          field,
          "the name of a column family is 1 to "
              + MAX_FAMILY_CHARACTERS
              + " characters that can be seen, with blanks only between them; got "
              + quote(name));
    }
  }

  /** Whether it is a blank, or a character that can be seen and reverses no direction. */
  private static boolean isVisible(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> character == ' ';
      default -> true;
    };
  }

  static boolean isDatacenter(String name) {
    return DATACENTER.matcher(name).matches();
  }

  static String quote(String text) {
    return text.length() <= QUOTED_CHARACTERS
        ? '"' + text + '"'
        : '"' + text.substring(0, QUOTED_CHARACTERS) + "…\" (" + text.length() + " characters)";
  }
}
