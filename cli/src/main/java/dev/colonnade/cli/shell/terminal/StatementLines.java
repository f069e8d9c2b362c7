package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.grammar.Completeness;
import dev.colonnade.cli.shell.grammar.StatementReader;
import org.jline.reader.EOFError;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;

/** Tells JLine whether what was typed can be run, and what the word at the cursor is. */
final class StatementLines implements Parser {

  @Override
  public ParsedLine parse(String line, int cursor, ParseContext context) {
    if (context == ParseContext.ACCEPT_LINE
        && StatementReader.completeness(line) == Completeness.INCOMPLETE) {
      throw new EOFError(-1, -1, "the statement continues", ";");
    }
    return new TypedLine(line, cursor);
  }

  @Override
  public boolean isEscapeChar(char c) {
    return false;
  }
}
