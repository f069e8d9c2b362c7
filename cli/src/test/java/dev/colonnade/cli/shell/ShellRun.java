package dev.colonnade.cli.shell;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.NodeAddress;
import dev.colonnade.cli.shell.run.Outcome;
import dev.colonnade.cli.shell.run.Scripts;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.Duration;

/** A session whose answers are taken as text. */
public final class ShellRun implements AutoCloseable {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Session session;
  private final Interpreter interpreter;

  public ShellRun(int port) {
    this(port, OutputForm.CLASSIC, Duration.ofSeconds(30));
  }

  public ShellRun(int port, OutputForm form, Duration timeout) {
    session =
        new Session(
            new NodeAddress("127.0.0.1", port),
            ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(timeout)),
            form,
            Printer.plain(new PrintWriter(out), new PrintWriter(err)));
    interpreter = new Interpreter(session, Manual.load()::answer);
  }

  public Interpreter interpreter() {
    return interpreter;
  }

  /** Runs statements and gives what they answered. */
  public String answer(String statements) throws Exception {
    out.getBuffer().setLength(0);
    for (Statement statement : StatementReader.parseAll(statements)) {
      Outcome unused = interpreter.execute(statement);
    }
    return out.toString();
  }

  /** Runs statements and gives what they answered and, as lines with {@code !}, of what failed. */
  public String answerOrFailure(String statements) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Scripts.End unused = interpreter.scripts().run(new StringReader(statements), "typed");
    StringBuilder all = new StringBuilder(out.toString());
    err.toString().lines().forEach(line -> all.append("! ").append(line).append('\n'));
    return all.toString();
  }

  @Override
  public void close() {
    session.close();
  }
}
