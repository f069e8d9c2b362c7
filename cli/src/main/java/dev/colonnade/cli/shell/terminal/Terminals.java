package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** The way in: a shell at the terminal of this process. */
public final class Terminals {

  private static final int KEPT_STATEMENTS = 10_000;
  private static final int SECONDARY_WIDTH = 8;

  /** JLine would complain on the terminal about a history that cannot be written. */
  private static final Logger JLINE = Logger.getLogger("org.jline");

  private Terminals() {}

  /** What a shell needs of its command. */
  public interface Start {

    /** A session that prints to the terminal. */
    Session session(PrintWriter out, PrintWriter err);

    /** The first thing to do in it, such as to choose a keyspace. */
    void begin(Interpreter interpreter) throws StatementFailure;

    /** Whether colours are wanted. */
    boolean colours();

    /** The version of this program. */
    String version();
  }

  /** Runs a shell until its user leaves. */
  public static void run(Start start) throws IOException {
    JLINE.setLevel(Level.OFF);
    try (Terminal terminal =
        TerminalBuilder.builder().name("colonnade").system(true).dumb(true).build()) {
      String home = System.getProperty("user.home", ".");
      run(
          terminal,
          start,
          HistoryFile.place(System.getenv(), home),
          ProfileFile.find(System.getenv(), home));
    }
  }

  /** The same at another terminal. */
  static void run(Terminal terminal, Start start, Optional<Path> history, Optional<Path> profile) {
    boolean dumb = terminal.getType().startsWith(Terminal.TYPE_DUMB);
    boolean colours = start.colours() && !dumb;
    Pager pager = new Pager(terminal, dumb);
    try (Session session = start.session(pager, terminal.writer());
        SchemaNames names = new SchemaNames(session)) {
      session.usePrompt(new HiddenLine(terminal));
      Manual manual = Manual.load();
      RecentKeys recentKeys = new RecentKeys();
      Interpreter interpreter = new Interpreter(session, manual::answer);
      LineReader reader = reader(terminal, new Completions(names, recentKeys, manual), colours);
      history.ifPresent(file -> keepHistory(reader, file));
      new TerminalShell(terminal, pager, reader, interpreter, recentKeys, names)
          .run(new Greeting(session, start.version()), profile, start);
    }
  }

  private static LineReader reader(Terminal terminal, Completions completions, boolean colours) {
    LineReaderBuilder builder =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .appName("colonnade")
            .parser(new StatementLines())
            .history(new SecretFreeHistory())
            .completer(new StatementCompleter(completions))
            .variable(LineReader.SECONDARY_PROMPT_PATTERN, "..." + " ".repeat(SECONDARY_WIDTH - 3))
            .variable(LineReader.HISTORY_SIZE, KEPT_STATEMENTS)
            .variable(LineReader.HISTORY_FILE_SIZE, KEPT_STATEMENTS)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .option(LineReader.Option.CASE_INSENSITIVE, true)
            .option(LineReader.Option.CASE_INSENSITIVE_SEARCH, true)
            .option(LineReader.Option.HISTORY_IGNORE_SPACE, true)
            .option(LineReader.Option.HISTORY_TIMESTAMPED, false);
    if (colours) {
      builder.highlighter(new StatementColours());
    } else {
      builder.option(LineReader.Option.DISABLE_HIGHLIGHTER, true);
    }
    return builder.build();
  }

  private static void keepHistory(LineReader reader, Path file) {
    try {
      HistoryFile.prepare(file);
      reader.setVariable(LineReader.HISTORY_FILE, file);
      reader.getHistory().load();
    } catch (IOException | RuntimeException e) {
      reader.setVariable(LineReader.HISTORY_FILE, null);
      reader.getTerminal().writer().println("The history is not saved: cannot write " + file + ".");
    }
  }
}
