package dev.colonnade.cli.shell;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.run.ExitStatus;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.Scripts;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import dev.colonnade.cli.shell.terminal.Terminals;
import dev.colonnade.client.ClientOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs statements: those of a person at a terminal, of the command line, or of a script. */
@Command(
    name = "shell",
    description = {
      "Runs statements on a node: get, set, list and others, like the old cassandra-cli.",
      "",
      "Statements come from -e, from -f, or from standard input; at a terminal the shell asks for"
          + " them. The first statement that fails ends a script. Finding nothing is an answer, not"
          + " a failure.",
      ""
    },
    footer = {
      "",
      "For example:",
      "  colonnade shell -k Blog -e \"get Authors['Arin Sarkissian']\"",
      "  colonnade shell -o json -f script.txt"
    },
    sortOptions = false)
public final class ShellCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENTS",
      description = "Run these statements. Can be given several times.")
  private List<String> statements = new ArrayList<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "Run the statements of a file; - is standard input.")
  private List<String> files = new ArrayList<>();

  @Option(names = "--continue", description = "Continue after a statement that failed.")
  private boolean goOn;

  @Option(names = "--echo", description = "Show each statement of a script before its answer.")
  private boolean echo;

  @Option(
      names = {"-B", "--batch"},
      description = "Do not prompt: read a script from standard input, even at a terminal.")
  private boolean batch;

  /** For picocli. */
  public ShellCommand() {}

  @Override
  public Integer call() throws CommandException, IOException {
    if (!statements.isEmpty() && !files.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "give either -e or -f, since their order would not be clear");
    }
    LogLevel.forClient();
    ClientOptions client = connection.client();
    if (statements.isEmpty() && files.isEmpty() && !batch && Consoles.isTerminal()) {
      Terminals.run(new AtTerminal(client));
      return ExitStatus.OK.code();
    }
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try (Session session = connection.session(client, out, err)) {
      return run(new Interpreter(session, topic -> Manual.load().answer(topic))).code();
    } finally {
      out.flush();
      err.flush();
    }
  }

  private ExitStatus run(Interpreter interpreter) {
    Scripts scripts = interpreter.scripts();
    scripts.configure(spec.qualifiedName(), goOn, echo);
    try {
      connection.prepare(interpreter);
    } catch (StatementFailure e) {
      interpreter.session().output().failed(e.problem(spec.qualifiedName()));
      return e.status();
    }
    if (statements.isEmpty() && files.isEmpty()) {
      return scripts.run("-").status();
    }
    ExitStatus status = ExitStatus.OK;
    for (int i = 0; i < statements.size(); i++) {
      String label = statements.size() == 1 ? "-e" : "-e #" + (i + 1);
      Scripts.End end = scripts.run(new StringReader(statements.get(i)), label);
      status = status == ExitStatus.OK ? end.status() : status;
      if (end.stops(goOn)) {
        return status;
      }
    }
    for (String file : files) {
      Scripts.End end = scripts.run(file);
      status = status == ExitStatus.OK ? end.status() : status;
      if (end.stops(goOn)) {
        return status;
      }
    }
    return status;
  }

  /** A session of the same options for a person. */
  private final class AtTerminal implements Terminals.Start {
    private final ClientOptions client;

    AtTerminal(ClientOptions client) {
      this.client = client;
    }

    @Override
    public Session session(PrintWriter out, PrintWriter err) {
      return connection.session(client, out, err);
    }

    @Override
    public void begin(Interpreter interpreter) throws StatementFailure {
      connection.prepare(interpreter);
    }

    @Override
    public boolean colours() {
      return connection.colours();
    }

    @Override
    public String version() {
      String version = ShellCommand.class.getPackage().getImplementationVersion();
      return version == null ? "(unpackaged build)" : version;
    }
  }
}
