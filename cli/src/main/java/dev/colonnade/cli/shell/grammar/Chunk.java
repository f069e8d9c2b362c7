package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;

/**
 * The text of a statement up to its {@code ;}, or of the rest of the script.
 *
 * @param text without the {@code ;}
 * @param start of the text
 * @param before what stands before the text on its first line, perhaps only the end of that line
 */
record Chunk(String text, Position start, String before) {

  private static final int EXCERPT_BEFORE = 60;
  private static final int EXCERPT_AFTER = 40;

  Position positionOf(int offset) {
    int line = start.line();
    int column = start.column();
    for (int i = 0; i < offset; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        column = 1;
      } else {
        column++;
      }
    }
    return new Position(line, column);
  }

  /** The line of an offset, or the part of it near the offset, and a caret below. */
  String near(int offset) {
    int lineStart = text.lastIndexOf('\n', offset - 1) + 1;
    int lineEnd = text.indexOf('\n', offset);
    int from = Math.max(lineStart, offset - EXCERPT_BEFORE);
    int to = Math.min(lineEnd < 0 ? text.length() : lineEnd, offset + EXCERPT_AFTER);
    String left = text.substring(from, offset);
    if (lineStart == 0 && from == 0) {
      left = before + left;
      left = left.substring(Math.max(0, left.length() - EXCERPT_BEFORE));
    }
    left = printable(left);
    return left + printable(text.substring(offset, to)) + "\n" + " ".repeat(left.length()) + "^";
  }

  /** With a blank for what would move the caret. */
  private static String printable(String text) {
    StringBuilder result = new StringBuilder(text.length());
    text.chars().forEach(c -> result.append(Character.isISOControl(c) ? ' ' : (char) c));
    return result.toString();
  }

  SyntaxException error(int offset, String problem) {
    return new SyntaxException(positionOf(offset), problem, near(offset));
  }
}
