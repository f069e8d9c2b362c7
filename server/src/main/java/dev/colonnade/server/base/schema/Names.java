package dev.colonnade.server.base.schema;

import java.util.regex.Pattern;

/** The valid names of keyspaces and column families. */
final class Names {

  /** Short enough for messages, file names and metrics labels. */
  static final int MAX_CHARACTERS = 48;

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

  static boolean isDatacenter(String name) {
    return DATACENTER.matcher(name).matches();
  }

  static String quote(String text) {
    return text.length() <= QUOTED_CHARACTERS
        ? '"' + text + '"'
        : '"' + text.substring(0, QUOTED_CHARACTERS) + "…\" (" + text.length() + " characters)";
  }
}
