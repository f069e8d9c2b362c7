package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.cli.shell.output.Problem;
import dev.colonnade.cli.shell.run.ExitStatus;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.Outcome;
import dev.colonnade.cli.shell.run.Scripts;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import dev.colonnade.cli.shell.statement.Statement;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.utils.WCWidth;

/**
 * The shell at a terminal: asks for statements and runs them until the user leaves. Ctrl-C ends
 * what runs, or clears what is typed; Ctrl-D leaves. One thread, save for the signal.
 */
final class TerminalShell {

  private final Terminal terminal;
  private final Pager pager;
  private final LineReader reader;
  private final Interpreter interpreter;
  private final RecentKeys recentKeys;
  private final SchemaNames names;
  private final Interruption interruption = new Interruption();

  TerminalShell(
      Terminal terminal,
      Pager pager,
      LineReader reader,
      Interpreter interpreter,
      RecentKeys recentKeys,
      SchemaNames names) {
    this.terminal = terminal;
    this.pager = pager;
    this.reader = reader;
    this.interpreter = interpreter;
    this.recentKeys = recentKeys;
    this.names = names;
  }

  /**
   * Greets, runs the profile and does the first thing if there is a node, and runs what the user
   * types.
   */
  void run(Greeting greeting, Optional<Path> profile, Terminals.Start start) {
    Terminal.SignalHandler before =
        terminal.handle(Terminal.Signal.INT, signal -> interruption.signal());
    try {
      begin(greeting, profile, start);
      Optional<String> typed = ask();
      while (typed.isPresent() && !ends(typed.get())) {
        typed = ask();
      }
    } finally {
      terminal.handle(Terminal.Signal.INT, before);
    }
  }

  private void begin(Greeting greeting, Optional<Path> profile, Terminals.Start start) {
    try {
      interruption.during(
          () -> {
            if (greeting.print(terminal.writer())) {
              profile.ifPresent(this::runProfile);
              start.begin(interpreter);
            }
          });
    } catch (StatementFailure e) {
      interpreter.session().output().failed(e.problem(""));
    }
    terminal.flush();
  }

  /** It reports by itself what fails; options of the command line come later, and prevail. */
  private void runProfile(Path profile) {
    Scripts.End unused = interpreter.scripts().run(profile.toString());
  }

  /** What the user typed, perhaps nothing; empty if the user leaves. */
  private Optional<String> ask() {
    names.renew();
    try {
      return Optional.of(reader.readLine(prompt()));
    } catch (UserInterruptException e) {
      return Optional.of("");
    } catch (EndOfFileException e) {
      return Optional.empty();
    }
  }

  private String prompt() {
    return "[default@" + interpreter.session().keyspaceInUse().orElse("unknown") + "] ";
  }

  /** Runs the statements that were typed, up to the first that fails. */
  private boolean ends(String typed) {
    String prompt = prompt();
    StatementReader statements = new StatementReader(typed);
    try {
      Optional<Statement> next = statements.next();
      while (next.isPresent()) {
        Statement statement = next.get();
        if (execute(statement) == Outcome.EXIT) {
          return true;
        }
        next = statements.next();
      }
      recentKeys.note(typed);
    } catch (SyntaxException e) {
      complain(typed, prompt, e);
    } catch (StatementFailure e) {
      if (!pager.ended()) {
        interpreter.session().output().failed(e.problem(""));
      }
    }
    pager.flush();
    terminal.flush();
    return false;
  }

  private Outcome execute(Statement statement) throws StatementFailure {
    Outcome[] outcome = new Outcome[1];
    pager.begin();
    try {
      interruption.during(() -> outcome[0] = interpreter.execute(statement));
    } catch (RuntimeException e) {
      throw StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "INTERNAL",
          "an error in the program; the shell continues: " + e,
          e);
    } finally {
      pager.flush();
    }
    return outcome[0];
  }

  /** With a caret below what was typed, where that still stands on one line above. */
  private void complain(String typed, String prompt, SyntaxException failure) {
    PrintWriter out = terminal.writer();
    int column = failure.position().column() - 1;
    int before = columns(prompt + typed.substring(0, Math.min(column, typed.length())));
    if (typed.indexOf('\n') < 0 && columns(prompt + typed) < terminal.getWidth()) {
      out.println(" ".repeat(before) + "^");
    } else {
      failure.near().lines().forEach(out::println);
    }
    out.flush();
    Session session = interpreter.session();
    session.output().failed(new Problem("", failure.problem(), "SYNTAX", ExitStatus.USAGE.code()));
  }

  private static int columns(String text) {
    return text.codePoints().map(c -> Math.max(0, WCWidth.wcwidth(c))).sum();
  }
}
