package dev.colonnade.cli.shell.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A piece of a line that is still being typed, and so perhaps makes no sense yet. Unlike the
 * grammar's tokens, pieces can be cut from any text.
 *
 * @param start where it begins in the line
 * @param end after its last character
 * @param text as written
 */
record Piece(Kind kind, int start, int end, String text) {

  enum Kind {
    /** Letters, digits, {@code _} and {@code -}, also when it begins with a digit. */
    WORD,
    /** In quotes. */
    QUOTED,
    /** In quotes of which the second is missing. */
    OPEN_QUOTE,
    COMMENT,
    /** A comment in the midst of which the text ends. */
    OPEN_COMMENT,
    SYMBOL
  }

  /** Cuts a text; blanks between pieces are left out. */
  static List<Piece> cut(String text) {
    List<Piece> pieces = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
        continue;
      }
      Piece piece = at(text, at);
      pieces.add(piece);
      at = piece.end();
    }
    return pieces;
  }

  /** The pieces behind the last semicolon, without comments. */
  static List<Piece> ofLastStatement(String text) {
    List<Piece> pieces = new ArrayList<>();
    for (Piece piece : cut(text)) {
      if (piece.is(";")) {
        pieces.clear();
      } else if (piece.kind != Kind.COMMENT) {
        pieces.add(piece);
      }
    }
    return pieces;
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isWord() {
    return kind == Kind.WORD;
  }

  /** In lower case, as the words of the language are compared. */
  String lower() {
    return text.toLowerCase(Locale.ROOT);
  }

  private static Piece at(String text, int start) {
    char first = text.charAt(start);
    if (text.startsWith("--", start)) {
      return until(text, start, text.indexOf('\n', start), 0, Kind.COMMENT, Kind.OPEN_COMMENT);
    }
    if (text.startsWith("/*", start)) {
      int end = text.indexOf("*/", start + 2);
      return until(text, start, end, 2, Kind.COMMENT, Kind.OPEN_COMMENT);
    }
    if (first == '\'' || first == '"') {
      return until(text, start, closing(text, start), 1, Kind.QUOTED, Kind.OPEN_QUOTE);
    }
    int end = start;
    while (isWordPart(text, end)) {
      end += Character.charCount(text.codePointAt(end));
    }
    if (end > start) {
      return new Piece(Kind.WORD, start, end, text.substring(start, end));
    }
    int behind = start + Character.charCount(text.codePointAt(start));
    return new Piece(Kind.SYMBOL, start, behind, text.substring(start, behind));
  }

  private static boolean isWordPart(String text, int at) {
    if (at >= text.length()) {
      return false;
    }
    int c = text.codePointAt(at);
    return c == '_' || Character.isLetterOrDigit(c) || (c == '-' && !text.startsWith("--", at));
  }

  /** The index of the quote that closes the one at {@code start}, or -1. */
  private static int closing(String text, int start) {
    char quote = text.charAt(start);
    for (int i = start + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == quote) {
        return i;
      }
    }
    return -1;
  }

  private static Piece until(String text, int start, int last, int width, Kind closed, Kind open) {
    return last < 0
        ? new Piece(open, start, text.length(), text.substring(start))
        : new Piece(closed, start, last + width, text.substring(start, last + width));
  }
}
