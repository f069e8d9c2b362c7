package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.LoginOptions;
import dev.colonnade.cli.TlsOptions;
import dev.colonnade.cli.demo.KeyspaceInUseException;
import dev.colonnade.cli.demo.Outage;
import dev.colonnade.cli.demo.Tour;
import dev.colonnade.cli.demo.Walkthroughs;
import dev.colonnade.cli.demo.story.CallCount;
import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.Narration;
import dev.colonnade.cli.demo.story.ShortNarration;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.cli.shell.Consoles;
import dev.colonnade.cli.shell.ShellCommand;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Shows the data model on the examples of the articles, and checks every answer. */
@Command(
    name = "demo",
    description = {
      "Shows the data model on the examples of the articles that describe it.",
      "",
      "Starts three nodes of its own on free ports, with their data in a temporary directory and"
          + " three copies of each row; compares each answer, all at QUORUM, with what the articles"
          + " promise; finally kills a node and repeats every request. It ends by itself and leaves"
          + " nothing behind. The status is 1 when an answer differs.",
      ""
    },
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

  private static final int LEAST_COLUMNS = 10;
  private static final int NODES_MAX = 9;
  private static final int LEAST_NODES_TO_LOSE_ONE = 3;
  private static final int REPLICAS = 3;
  private static final String LOOPBACK = "127.0.0.1:";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = "Run only these walkthroughs; --list names them.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--list", description = "List the walkthroughs and run none.")
  private boolean listing;

  @Option(
      names = "--node",
      paramLabel = "HOST:PORT",
      description = "Use a node that runs already instead of starting one.")
  private @Nullable String runningNode;

  @Mixin private TlsOptions tls = new TlsOptions();

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(
      names = {"-n", "--nodes"},
      paramLabel = "N",
      defaultValue = "3",
      description =
          "How many nodes to start: 1, in this process, or 3 to "
              + NODES_MAX
              + ", each a process of its own. Default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--keep",
      description =
          "Keep the keyspaces on that node, so that you can look around. The next demo drops them.")
  private boolean keeping;

  @Option(
      names = {"-v", "--verbose"},
      description = "Show and explain each request with its answer, some 560 lines.")
  private boolean verbose;

  @Option(
      names = "--stay",
      description =
          "Kill no node; afterwards open the shell on the nodes, with the examples' data. The nodes"
              + " stop when you leave it.")
  private boolean staying;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "classic",
      description =
          "classic, for people; or json, an object for each promise (default: ${DEFAULT-VALUE}).")
  private String form = "";

  @Option(
      names = "--columns",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How many columns the row of ten-newest has. Default: ${DEFAULT-VALUE}.")
  private int columns;

  private boolean forPrograms;

  /** For picocli. */
  public DemoCommand() {}

  @Override
  public Integer call() throws CommandException, IOException, InterruptedException {
    LogLevel.unlessSet("WARN");
    boolean json = OutputForm.JSON.toString().equalsIgnoreCase(form);
    if (!json && !OutputForm.CLASSIC.toString().equalsIgnoreCase(form)) {
      throw new ParameterException(spec.commandLine(), "--output is classic or json, not " + form);
    }
    if (json && staying) {
      throw new ParameterException(
          spec.commandLine(), "--stay opens a shell, and --output json is for programs");
    }
    forPrograms = json;
    PrintWriter out = json ? new PrintWriter(Writer.nullWriter()) : spec.commandLine().getOut();
    if (columns < LEAST_COLUMNS) {
      throw new ParameterException(
          spec.commandLine(), "--columns is " + LEAST_COLUMNS + " or more; got " + columns);
    }
    List<Walkthrough> chosen = chosen();
    if (listing) {
      list(chosen, spec.commandLine().getOut());
      return CommandLine.ExitCode.OK;
    }
    if (staying && runningNode != null) {
      throw new ParameterException(
          spec.commandLine(), "--stay is for the demo's own nodes; with --node, use --keep");
    }
    if (runningNode != null) {
      Tour.Stage stage = new Tour.Stage(1, keeping, Optional.empty());
      return walkThrough(
          chosen,
          runningNode,
          login.apply(tls.apply(ClientOptions.defaults()), Consoles.console()),
          stage);
    }
    if (keeping) {
      throw new ParameterException(
          spec.commandLine(), "--keep needs --node: the demo's own nodes end with it");
    }
    if (nodes == 1) {
      return onOneNode(chosen, out);
    }
    if (nodes < LEAST_NODES_TO_LOSE_ONE || nodes > NODES_MAX) {
      throw new ParameterException(
          spec.commandLine(),
          "--nodes is "
              + nodes
              + ", but must be 1 or 3 to "
              + NODES_MAX
              + ": two nodes have no"
              + " QUORUM when one of them dies");
    }
    return onSeveralNodes(chosen, out);
  }

  private int onOneNode(List<Walkthrough> chosen, PrintWriter out)
      throws CommandException, IOException {
    out.print("Starting a node ... ");
    out.flush();
    long startedNanos = System.nanoTime();
    try (TemporaryNode node = TemporaryNode.start()) {
      String address = LOOPBACK + node.clientPort();
      ready(startedNanos, out);
      out.println("It listens on " + address + " and keeps its data in " + node.directory() + ",");
      out.println("which will be removed.");
      explain(out);
      Tour.Stage stage = new Tour.Stage(1, staying, Optional.empty());
      return stay(walkThrough(chosen, address, ClientOptions.defaults(), stage), address, out);
    }
  }

  private int onSeveralNodes(List<Walkthrough> chosen, PrintWriter out)
      throws CommandException, IOException, InterruptedException {
    out.print("Starting " + nodes + " nodes ... ");
    out.flush();
    long startedNanos = System.nanoTime();
    try (TemporaryCluster cluster = TemporaryCluster.start(nodes)) {
      ready(startedNanos, out);
      String addresses = String.join(", ", cluster.addresses());
      out.println("They listen on " + addresses + ",");
      out.println("with their data in " + cluster.directory() + ", which will be removed.");
      out.println("Every row has " + REPLICAS + " copies; all reads and writes are at QUORUM.");
      explain(out);
      Outage outage = () -> cluster.killLast() + " has been killed.";
      Optional<Outage> end = staying ? Optional.empty() : Optional.of(outage);
      String address = cluster.addresses().get(0);
      Tour.Stage stage = new Tour.Stage(REPLICAS, staying, end);
      return stay(walkThrough(chosen, address, TemporaryCluster.quorum(), stage), address, out);
    }
  }

  private static void ready(long startedNanos, PrintWriter out) {
    Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
    out.println(String.format(Locale.ROOT, "ready after %.1f s.", took.toMillis() / 1000.0));
  }

  private void explain(PrintWriter out) {
    if (verbose) {
      out.println(
          "Each request is shown after >, with its answer below: as a statement of the shell");
      out.println("where there is one, otherwise as a call of the program.");
    } else {
      out.println();
    }
    out.flush();
  }

  /** Where the demo's nodes are to stay: opens the shell on them, and returns when it ends. */
  private int stay(int status, String address, PrintWriter out) {
    if (!staying) {
      if (!verbose) {
        out.println("--verbose shows each request and its answer, --stay opens the shell on them.");
        out.flush();
      }
      return status;
    }
    out.println(
        "The shell is open on the nodes; they stop when you leave it. Try `show keyspaces;`.");
    out.flush();
    int colon = address.lastIndexOf(':');
    int shell =
        new CommandLine(new ShellCommand())
            .setOut(out)
            .setErr(spec.commandLine().getErr())
            .execute(
                "--host",
                address.substring(0, colon),
                "--port",
                address.substring(colon + 1),
                "--consistency",
                nodes == 1 ? "ONE" : "QUORUM");
    return status == CommandLine.ExitCode.OK ? shell : status;
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

  private Narration narration() {
    if (forPrograms) {
      return new JsonNarration();
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean coloured = Ansi.AUTO.enabled();
    return verbose ? new Narration(out, coloured) : new ShortNarration(out, coloured);
  }

  private int walkThrough(
      List<Walkthrough> chosen, String address, ClientOptions options, Tour.Stage stage)
      throws CommandException {
    CallCount calls = new CallCount();
    Narration narration = narration();
    try (Colonnade client = Colonnade.connect(address, options.withListener(calls))) {
      List<Check> checks = new Tour(client, calls, narration, stage).run(chosen);
      if (narration instanceof JsonNarration json) {
        PrintWriter out = spec.commandLine().getOut();
        json.end(OutputForm.JSON.to(Printer.plain(out, spec.commandLine().getErr())));
      }
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
