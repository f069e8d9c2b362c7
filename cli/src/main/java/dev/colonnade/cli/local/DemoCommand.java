package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.demo.KeyspaceInUseException;
import dev.colonnade.cli.demo.Tour;
import dev.colonnade.cli.demo.Walkthroughs;
import dev.colonnade.cli.demo.story.CallCount;
import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.Narration;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Shows the data model on the examples of the articles, and checks every answer. */
@Command(
    name = "demo",
    description = {
      "Shows the data model on the examples of the articles that describe it.",
      "",
      "Starts a node of its own on a free port, with its data in a temporary directory; shows what"
          + " is asked and what is answered, and holds it against what the articles promise; ends"
          + " by itself and leaves nothing behind. The status is 1 when an answer differs.",
      ""
    },
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

  private static final int LEAST_COLUMNS = 10;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Run only these walkthroughs; --list tells which there are.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list", description = "List the walkthroughs and run none.")
  private boolean listing;

  @Option(
      names = "--node",
      paramLabel = "HOST:PORT",
      description = "Use a node that runs already instead of starting one.")
  private @Nullable String runningNode;

  @Option(
      names = "--keep",
      description =
          "Leave the keyspaces on that node, for looking around. The next demo drops them.")
  private boolean keeping;

  @Option(
      names = "--columns",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How long the row of ten-newest is. Default: ${DEFAULT-VALUE}.")
  private int columns;

  /** For picocli. */
  public DemoCommand() {}

  @Override
  public Integer call() throws CommandException, IOException {
    LogLevel.unlessSet("WARN");
    PrintWriter out = spec.commandLine().getOut();
    if (columns < LEAST_COLUMNS) {
      throw new ParameterException(
          spec.commandLine(), "--columns is " + LEAST_COLUMNS + " or more; got " + columns);
    }
    List<Walkthrough> chosen = chosen();
    if (listing) {
      list(chosen, out);
      return CommandLine.ExitCode.OK;
    }
    if (runningNode != null) {
      return walkThrough(chosen, runningNode, out);
    }
    if (keeping) {
      throw new ParameterException(
          spec.commandLine(), "--keep needs --node: a node of the demo's own ends with it");
    }
    out.print("Starting a node ... ");
    out.flush();
    long startedNanos = System.nanoTime();
    try (TemporaryNode node = TemporaryNode.start()) {
      String address = "127.0.0.1:" + node.clientPort();
      Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
      out.println(String.format(Locale.ROOT, "ready after %.1f s.", took.toMillis() / 1000.0));
      out.println("It listens on " + address + " and keeps its data in " + node.directory() + ",");
      out.println("which will be removed. What is asked is shown after >, the answer below it: as");
      out.println("a statement of the shell where there is one, else as a call of the program.");
      return walkThrough(chosen, address, out);
    }
  }

  private List<Walkthrough> chosen() {
    List<Walkthrough> all = Walkthroughs.all(columns);
    List<String> known = all.stream().map(Walkthrough::name).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "there is no walkthrough " + name + "; there are " + String.join(", ", known));
      }
    }
    return names.isEmpty()
        ? all
        : all.stream().filter(walkthrough -> names.contains(walkthrough.name())).toList();
  }

  private static void list(List<Walkthrough> walkthroughs, PrintWriter out) {
    for (Walkthrough walkthrough : walkthroughs) {
      out.println(String.format(Locale.ROOT, "%-14s %s", walkthrough.name(), walkthrough.title()));
    }
    out.flush();
  }

  private int walkThrough(List<Walkthrough> chosen, String address, PrintWriter out)
      throws CommandException {
    CallCount calls = new CallCount();
    Narration narration = new Narration(out, Ansi.AUTO.enabled());
    ClientOptions options = ClientOptions.defaults().withListener(calls);
    try (Colonnade client = Colonnade.connect(address, options)) {
      List<Check> checks = new Tour(client, calls, narration, keeping).run(chosen);
      return checks.stream().allMatch(Check::holds)
          ? CommandLine.ExitCode.OK
          : CommandLine.ExitCode.SOFTWARE;
    } catch (KeyspaceInUseException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    } catch (ColonnadeException e) {
      throw CommandException.failed(
          "a call to the node at " + address + " failed: " + e.reason() + ": " + e.getMessage(), e);
    }
  }
}
