package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.Statements;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.cli.shell.statement.Statement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Runs the statements of a text, one after another, as they are read. What is not found does not
 * end a script; a failure does, unless the user wants to continue. Not thread-safe.
 */
public final class Scripts {

  /** Scripts that call scripts, no deeper than this. */
  private static final int DEEPEST = 10;

  private static final Set<String> ENDING = Set.of("connect", "login", "consistencylevel");

  private final Interpreter interpreter;
  private final Session session;
  private String program = "";
  private boolean goOn;
  private boolean echo;
  private ExitStatus firstFailure = ExitStatus.OK;
  private int depth;

  /** Whether what follows would not run where, or as whom, it was meant to. */
  private boolean lost;

  Scripts(Interpreter interpreter, Session session) {
    this.interpreter = interpreter;
    this.session = session;
  }

  /**
   * Chooses how scripts run.
   *
   * @param name stands in front of complaints; empty for none
   * @param continueAfterFailure whether what follows a failed statement runs nevertheless
   * @param echoStatements whether each statement is shown before its answer
   */
  public void configure(String name, boolean continueAfterFailure, boolean echoStatements) {
    program = name;
    goOn = continueAfterFailure;
    echo = echoStatements;
  }

  /**
   * How a script ended.
   *
   * @param exit whether nothing may run after it, whatever failed
   */
  public record End(ExitStatus status, boolean exit) {
    /** Whether nothing more may run after this. */
    public boolean stops(boolean continueAfterFailure) {
      return exit
          || status == ExitStatus.INTERRUPTED
          || (status != ExitStatus.OK && !continueAfterFailure);
    }
  }

  /**
   * Runs the statements of a text and reports failures as they happen.
   *
   * @param label of the text, in front of the numbers of lines
   * @return with the status of the first failure, and whether the script says {@code exit} or lost
   *     its node or its account
   */
  public End run(Reader text, String label) {
    firstFailure = ExitStatus.OK;
    lost = false;
    try {
      boolean exit = all(text, label) == Outcome.EXIT;
      return new End(firstFailure, exit);
    } catch (StatementFailure e) {
      tell(e);
      return new End(firstFailure, lost);
    }
  }

  /** Runs the statements of a file, or of standard input if it is {@code -}. */
  public End run(String file) {
    try (Reader text = open(file)) {
      return run(text, file.equals("-") ? "standard input" : file);
    } catch (StatementFailure e) {
      session.output().failed(e.problem(program));
      return new End(e.status(), false);
    } catch (IOException e) {
      session.output().failed(unreadable(file, e).problem(program));
      return new End(ExitStatus.USAGE, false);
    }
  }

  Outcome source(Statement.Source source) throws StatementFailure {
    if (depth == DEEPEST) {
      throw StatementFailure.refused(
          "scripts run one another " + DEEPEST + " deep; does one run itself?");
    }
    depth++;
    try (Reader text = open(source.file())) {
      return all(text, source.file());
    } catch (IOException e) {
      throw unreadable(source.file(), e);
    } finally {
      depth--;
    }
  }

  private Outcome all(Reader text, String label) throws StatementFailure {
    StatementReader statements = new StatementReader(text);
    while (true) {
      try {
        Optional<Statement> next = next(statements, label);
        if (next.isEmpty()) {
          return Outcome.DONE;
        }
        if (one(next.get(), label) == Outcome.EXIT) {
          return Outcome.EXIT;
        }
      } catch (StatementFailure e) {
        failedAt(statements.verb());
        if (!goOn || lost || e.status() == ExitStatus.INTERRUPTED) {
          throw e;
        }
        tell(e);
      }
    }
  }

  /**
   * Keeps what follows from hitting what it was not meant for: after a failed {@code use} no
   * keyspace is in use, and after a failed {@code connect}, {@code login} or {@code
   * consistencylevel} the script ends.
   */
  private void failedAt(String verb) {
    if (goOn && verb.equals("use")) {
      session.useNoKeyspace();
    }
    lost |= ENDING.contains(verb);
  }

  private void tell(StatementFailure failure) {
    session.output().failed(failure.problem(program));
    firstFailure = firstFailure == ExitStatus.OK ? failure.status() : firstFailure;
  }

  private Outcome one(Statement statement, String label) throws StatementFailure {
    if (echo) {
      session.output().echo(Statements.print(statement));
    }
    try {
      return interpreter.execute(statement);
    } catch (StatementFailure e) {
      throw e.at(label + ":" + statement.position().line());
    }
  }

  private Optional<Statement> next(StatementReader statements, String label)
      throws StatementFailure {
    try {
      return statements.next();
    } catch (SyntaxException e) {
      throw StatementFailure.of(ExitStatus.USAGE, "SYNTAX", String.valueOf(e.problem()), e)
          .at(label + ":" + e.position().line());
    } catch (UncheckedIOException e) {
      lost = true;
      throw unreadable(label, e);
    }
  }

  private static Reader open(String file) throws StatementFailure {
    if (file.equals("-")) {
      return new BufferedReader(new ScriptText(System.in));
    }
    try {
      return new BufferedReader(new ScriptText(Files.newInputStream(Path.of(file))));
    } catch (IOException | InvalidPathException e) {
      throw unreadable(file, e);
    }
  }

  private static StatementFailure unreadable(String file, Exception cause) {
    return StatementFailure.of(
        ExitStatus.USAGE,
        "UNREADABLE",
        "cannot read " + file + ": " + Failures.ofFile(cause),
        cause);
  }
}
