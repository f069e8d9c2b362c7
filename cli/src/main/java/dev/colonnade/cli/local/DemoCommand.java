package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.demo.Calls;
import dev.colonnade.cli.demo.Check;
import dev.colonnade.cli.demo.Narration;
import dev.colonnade.cli.demo.Walkthrough;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Option;

/** Shows the data model on the examples of the articles, and checks every answer. */
@Command(
    name = "demo",
    description = {
      "Shows the data model on the examples of the articles that describe it.",
      "",
      "Starts a node of its own on a free port, with its data in a temporary directory; prints each"
          + " call with its answer and holds it against what the articles promise; ends by itself"
          + " and leaves nothing behind. The status is 1 when an answer differs.",
      ""
    },
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--node",
      paramLabel = "HOST:PORT",
      description =
          "Use a node that runs already instead of starting one. The keyspaces Samples and"
              + " BloggyAppy stay there afterwards.")
  private @Nullable String runningNode;

  /** For picocli. */
  public DemoCommand() {}

  @Override
  public Integer call() throws CommandException, IOException {
    LogLevel.unlessSet("WARN");
    PrintWriter out = spec.commandLine().getOut();
    if (runningNode != null) {
      return walkThrough(runningNode, out);
    }
    out.print("Starting a node ... ");
    out.flush();
    long startedNanos = System.nanoTime();
    try (TemporaryNode node = TemporaryNode.start()) {
      String address = "127.0.0.1:" + node.clientPort();
      Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
      out.println(String.format(Locale.ROOT, "ready after %.1f s.", took.toMillis() / 1000.0));
      out.println("It listens on " + address + " and keeps its data in " + node.directory() + ",");
      out.println("which will be removed. Each call is shown as > METHOD, its answer below it.");
      return walkThrough(address, out);
    }
  }

  private static int walkThrough(String address, PrintWriter out) throws CommandException {
    ManagedChannel channel =
        Grpc.newChannelBuilder(address, InsecureChannelCredentials.create()).build();
    try {
      List<Check> checks =
          Walkthrough.run(new Calls(channel, new Narration(out, Ansi.AUTO.enabled())));
      return checks.stream().allMatch(Check::holds)
          ? CommandLine.ExitCode.OK
          : CommandLine.ExitCode.SOFTWARE;
    } catch (StatusRuntimeException e) {
      throw CommandException.failed(
          "the node at " + address + " answered the last call above with " + e.getStatus(), e);
    } finally {
      channel.shutdownNow();
    }
  }
}
