package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts a chunk into tokens, one at a time. */
final class Lexer {

  private static final Pattern NUMBER = Pattern.compile("-?\\d++(\\.\\d++)?([eE][+-]?\\d++)?");
  private static final int UNICODE_DIGITS = 4;

  private final Chunk chunk;
  private final String text;
  private int at;

  /** Of the token at hand. */
  private int start;

  /** Where {@code positionAt} is. */
  private int line;

  private int column;
  private int positionAt;

  Lexer(Chunk chunk) {
    this.chunk = chunk;
    this.text = chunk.text();
    this.line = chunk.start().line();
    this.column = chunk.start().column();
  }

  /** The next token; at the end {@code END}, also when called again. */
  Token next() throws SyntaxException {
    boolean more = skipToToken();
    start = at;
    return more ? token() : made(Token.Kind.END, "");
  }

  private boolean skipToToken() throws SyntaxException {
    while (at < text.length()) {
      if (text.startsWith("--", at)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (text.startsWith("/*", at)) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          throw chunk.error(at, "this comment has no end; close it with */");
        }
        at = end + 2;
      } else if (isBlank(text.charAt(at))) {
        at++;
      } else {
        return true;
      }
    }
    return false;
  }

  private static boolean isBlank(char c) {
    // The mark that some editors put before a text in UTF-8 is nothing either.
    return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\uFEFF';
  }

  private Token token() throws SyntaxException {
    char c = text.charAt(at);
    if (c == '\'' || c == '"') {
      return quoted(c);
    }
    Matcher number = NUMBER.matcher(text).region(at, text.length());
    boolean digits = number.lookingAt();
    if (digits && !isWordPart(number.end())) {
      at = number.end();
      return made(Token.Kind.NUMBER, number.group());
    }
    if (digits || isWordPart(at)) {
      return word();
    }
    at += Character.charCount(text.codePointAt(at));
    return made(Token.Kind.SYMBOL, text.substring(start, at));
  }

  private Token word() throws SyntaxException {
    do {
      at += Character.charCount(text.codePointAt(at));
    } while (isWordPart(at));
    String word = text.substring(start, at);
    if (!word.startsWith("0x") && !word.startsWith("0X")) {
      return made(Token.Kind.WORD, word);
    }
    for (int i = 2; i < word.length(); i++) {
      if (Character.digit(word.charAt(i), 16) < 0 || word.charAt(i) >= 0x80) {
        throw chunk.error(start + i, "'" + word.charAt(i) + "' is not a hexadecimal digit");
      }
    }
    if (word.length() % 2 != 0) {
      throw chunk.error(start, "bytes have two hexadecimal digits each; one is missing here");
    }
    return made(Token.Kind.HEX, word.substring(2));
  }

  private boolean isWordPart(int index) {
    if (index >= text.length()) {
      return false;
    }
    int c = text.codePointAt(index);
    if (c == '-') {
      return index > start && !text.startsWith("--", index);
    }
    return isWordCharacter(c);
  }

  /** Whether it may stand in a word; {@code -} may too, but not at its begin. */
  static boolean isWordCharacter(int c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  private Token quoted(char quote) throws SyntaxException {
    at++;
    StringBuilder content = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '\\') {
        content.append(escape());
      } else if (c != quote) {
        content.append(c);
      } else if (at < text.length() && text.charAt(at) == quote) {
        content.append(c);
        at++;
      } else {
        return made(Token.Kind.TEXT, content.toString());
      }
    }
    throw chunk.error(start, "this quote has no end; close it with " + quote);
  }

  private char escape() throws SyntaxException {
    int backslash = at - 1;
    char c = at < text.length() ? text.charAt(at++) : 0;
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case '\\', '\'', '"' -> c;
      case 'u' -> unicode(backslash);
      default ->
          throw chunk.error(
              backslash,
              "this escape is not known; there are \\n \\t \\r \\b \\f \\\\ \\' \\\" \\uXXXX");
    };
  }

  private char unicode(int backslash) throws SyntaxException {
    int value = 0;
    for (int i = 0; i < UNICODE_DIGITS; i++) {
      int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
      if (digit < 0) {
        throw chunk.error(backslash, "four hexadecimal digits must follow \\u");
      }
      value = value << 4 | digit;
      at++;
    }
    return (char) value;
  }

  private Token made(Token.Kind kind, String content) {
    for (; positionAt < start; positionAt++) {
      boolean newLine = text.charAt(positionAt) == '\n';
      line = newLine ? line + 1 : line;
      column = newLine ? 1 : column + 1;
    }
    return new Token(kind, content, start, at, new Position(line, column));
  }
}
