package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;
import java.util.Locale;

/**
 * A piece of a statement.
 *
 * @param text of a {@code TEXT} its characters with escapes resolved, of a {@code HEX} its digits
 *     without the prefix, else as written
 * @param start where it begins in the chunk
 * @param end after its last character
 */
record Token(Kind kind, String text, int start, int end, Position position) {

  enum Kind {
    /** Letters, digits, {@code _} and {@code -}. */
    WORD,
    NUMBER,
    HEX,
    /** In quotes. */
    TEXT,
    SYMBOL,
    /** Of the chunk. */
    END
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equalsIgnoreCase(word);
  }

  String lower() {
    return text.toLowerCase(Locale.ROOT);
  }
}
