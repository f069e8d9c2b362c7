package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Statement;
import java.nio.charset.StandardCharsets;

/** Any script is read as statements or refused, and what is printed reads the same. */
public final class StatementFuzzer {

  private StatementFuzzer() {}

  /** One input: a script. */
  public static void fuzzerTestOneInput(byte[] data) {
    try {
      for (Statement statement :
          StatementReader.parseAll(new String(data, StandardCharsets.UTF_8))) {
        String printed = Statements.print(statement);
        if (!printed.equals(reprinted(printed))) {
          throw new AssertionError(printed + " reads as " + reprinted(printed));
        }
      }
    } catch (SyntaxException refused) {
      if (refused.getMessage() == null || refused.getMessage().isEmpty()) {
        throw new AssertionError("refused without a word", refused);
      }
    }
  }

  private static String reprinted(String printed) {
    try {
      StringBuilder again = new StringBuilder();
      StatementReader.parseAll(printed).forEach(each -> again.append(Statements.print(each)));
      return again.toString();
    } catch (SyntaxException own) {
      throw new AssertionError("it does not read what it printed: " + printed, own);
    }
  }
}
