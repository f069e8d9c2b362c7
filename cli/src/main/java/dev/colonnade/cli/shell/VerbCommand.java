package dev.colonnade.cli.shell;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.cli.shell.grammar.Vocabulary;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.help.Topic;
import dev.colonnade.cli.shell.output.Problem;
import dev.colonnade.cli.shell.run.ExitStatus;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.Launcher;
import dev.colonnade.cli.shell.run.Outcome;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.client.ClientOptions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;

/**
 * One statement as a command of its own: {@code colonnade get "Authors['Arin Sarkissian']"}. The
 * words after the verb are read as the shell would read them.
 */
@Command(sortOptions = false)
public final class VerbCommand implements Callable<Integer> {

  /** Verbs that mean something only between other statements. */
  private static final Set<String> ONLY_IN_A_SHELL =
      Set.of(
          "batch",
          "end",
          "use",
          "assume",
          "consistencylevel",
          "timing",
          "trace",
          "output",
          "capture",
          "source",
          "connect",
          "login",
          "logout",
          "help",
          "exit",
          "quit");

  /** Verbs that make more calls than it takes to open a session for them. */
  private static final Set<String> MANY_CALLS = Set.of("copy");

  private final String verb;

  @CommandLine.Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  @Parameters(
      paramLabel = "STATEMENT",
      description =
          "The rest of the statement. Put it in double quotes, so that your own shell does not"
              + " change it.")
  private List<String> words = new ArrayList<>();

  private VerbCommand(String verb) {
    this.verb = verb;
  }

  /** The verbs that can stand alone. */
  public static List<String> verbs() {
    return Vocabulary.verbs().stream().filter(verb -> !ONLY_IN_A_SHELL.contains(verb)).toList();
  }

  /**
   * The command of a verb.
   *
   * @param manual has its pages of help; empty where they cannot be asked for
   */
  public static CommandLine of(String verb, Optional<Manual> manual) {
    CommandLine command = new CommandLine(new VerbCommand(verb));
    command.getCommandSpec().name(verb);
    manual.ifPresent(pages -> explain(command, verb, pages));
    return command;
  }

  /**
   * The command of a verb of two words.
   *
   * @param manual has its pages of help; empty where they cannot be asked for
   */
  public static CommandLine of(String verb, String action, Optional<Manual> manual) {
    String both = verb + " " + action;
    CommandLine command = new CommandLine(new VerbCommand(both));
    command.getCommandSpec().name(action);
    manual.ifPresent(pages -> explain(command, both, pages));
    return command;
  }

  private static void explain(CommandLine command, String verb, Manual manual) {
    List<Topic> pages = pages(verb, manual);
    command
        .getCommandSpec()
        .usageMessage()
        .description(
            pages.size() == 1
                ? sentence(pages.get(0).summary())
                : sentence(
                    verb
                        + (verb.equals("update")
                            ? " a keyspace or a column family"
                            : " a keyspace, a column family, a user or a role")))
        .footer(pages.stream().flatMap(VerbCommand::page).toArray(String[]::new))
        .exitCodeListHeading("%nExit status:%n")
        .exitCodeList(ExitStatus.table());
  }

  private static List<Topic> pages(String verb, Manual manual) {
    return manual.topics().stream()
        .filter(topic -> (topic.name() + " ").startsWith(verb + " "))
        .toList();
  }

  private static String sentence(String words) {
    return Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".";
  }

  private static Stream<String> page(Topic topic) {
    return ("\n" + topic.text()).replace("%", "%%").lines();
  }

  @Override
  public Integer call() throws CommandException {
    LogLevel.forClient();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    ClientOptions client = connection.client();
    if (!MANY_CALLS.contains(verb)) {
      client = client.withSessions(false);
    }
    try (Session session = connection.session(client, out, err)) {
      return run(new Interpreter(session, topic -> Manual.load().answer(topic))).code();
    } finally {
      out.flush();
      err.flush();
    }
  }

  private ExitStatus run(Interpreter interpreter) {
    try {
      Statement statement = statement();
      connection.prepare(interpreter);
      Outcome outcome = interpreter.execute(statement);
      return outcome == Outcome.NOT_FOUND ? ExitStatus.NOT_FOUND : ExitStatus.OK;
    } catch (StatementFailure e) {
      interpreter.session().output().failed(e.problem(spec.qualifiedName()));
      return e.status();
    } catch (SyntaxException e) {
      interpreter
          .session()
          .output()
          .failed(
              new Problem(spec.qualifiedName(), e.problem(), "SYNTAX", ExitStatus.USAGE.code()));
      return ExitStatus.USAGE;
    }
  }

  private Statement statement() throws SyntaxException, StatementFailure {
    List<Statement> statements =
        StatementReader.parseAll(verb + " " + String.join(" ", words) + ";");
    if (statements.size() != 1) {
      throw StatementFailure.of(
          ExitStatus.USAGE,
          "SYNTAX",
          "this command takes one statement; `" + Launcher.command("shell -e") + "` runs several",
          null);
    }
    return statements.get(0);
  }
}
