package dev.colonnade.cli.shell.terminal;

/**
 * Something that could stand at the cursor.
 *
 * @param text what is inserted
 * @param shown what the list shows
 * @param group the heading above it in the list; empty for none
 * @param ended whether a blank follows
 */
record Suggestion(String text, String shown, String group, boolean ended) {

  static Suggestion word(String group, String text) {
    return new Suggestion(text, text, group, true);
  }

  /** A word that something must follow without a blank between. */
  static Suggestion openedBy(String group, String text, String opening) {
    return new Suggestion(text + opening, text, group, false);
  }
}
