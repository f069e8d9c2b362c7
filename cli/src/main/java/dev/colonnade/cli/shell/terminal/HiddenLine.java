package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.run.ExitStatus;
import dev.colonnade.cli.shell.run.PasswordPrompt;
import dev.colonnade.cli.shell.run.StatementFailure;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;

/** Asks for a password at the terminal: nothing of it is shown, and no history keeps it. */
final class HiddenLine implements PasswordPrompt {

  private static final char NOTHING = 0;

  private final Terminal terminal;

  HiddenLine(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Optional<String> ask(String prompt) throws StatementFailure {
    // A reader of its own: that of statements goes on until a semicolon, completes, and remembers.
    LineReader reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .variable(LineReader.DISABLE_HISTORY, true)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.BRACKETED_PASTE, false)
            .build();
    try {
      return Optional.of(reader.readLine(prompt + ": ", NOTHING));
    } catch (UserInterruptException | EndOfFileException e) {
      throw StatementFailure.of(
          ExitStatus.INTERRUPTED, "INTERRUPTED", "no password was typed; nothing is changed", e);
    }
  }
}
