package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogFormat;
import dev.colonnade.cli.LogQueue;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs one node until SIGTERM or SIGINT. */
@Command(
    name = "server",
    description = {
      "Runs one node until it is told to stop with SIGTERM or Ctrl-C.",
      "",
      "Needs no configuration: without options it serves this machine only and keeps its data in"
          + " ./data. It prints one line when it serves. A port of 0 means any free one; the line"
          + " shows which.",
      ""
    },
    sortOptions = false,
    modelTransformer = SettingOptions.class)
public final class ServerCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @CommandLine.Mixin private NodeFileOptions files = new NodeFileOptions();

  @Option(
      names = "--replace",
      order = -1_998,
      paramLabel = "NODE-ID",
      description =
          "Replace this dead node: the new node, with an empty data directory, fetches the dead"
              + " node's rows from the others and takes over its tokens.")
  private @Nullable String replaced;

  @Option(
      names = "--until-input-ends",
      hidden = true,
      description =
          "Stop also when standard input ends, for a program that starts this node and holds its"
              + " input.")
  private boolean untilInputEnds;

  /** For picocli. */
  public ServerCommand() {}

  @Override
  public Integer call() throws CommandException, InterruptedException {
    LogQueue.use(logFormat(System.getenv(LogFormat.VARIABLE)));
    Node node = Nodes.start(options());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node), "shutdown"));
    PrintWriter out = spec.commandLine().getOut();
    out.println("Colonnade is " + node.describe());
    node.firstPassword()
        .ifPresent(
            password ->
                out.println(
                    "The user admin was made, with the password "
                        + password
                        + " (shown this once; change it after the first login)"));
    out.flush();
    if (untilInputEnds) {
      Thread watch = new Thread(ServerCommand::exitWithInput, "input");
      watch.setDaemon(true);
      watch.start();
    }
    // Otherwise the shutdown hook ends this process.
    throw awaitEnd(node);
  }

  private static CommandException awaitEnd(Node node) throws InterruptedException {
    try {
      String reason = node.ended().get();
      return CommandException.failed(reason, new IllegalStateException(reason));
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a node is no failure", e);
    }
  }

  private static void exitWithInput() {
    try {
      while (System.in.read() >= 0) {
        // Only the end of the input is expected.
      }
    } catch (IOException e) {
      System.err.println("colonnade server: standard input cannot be read: " + e);
    }
    System.exit(CommandLine.ExitCode.OK);
  }

  private LogFormat logFormat(@Nullable String value) {
    return LogFormat.of(value)
        .orElseThrow(
            () ->
                new CommandLine.ParameterException(
                    spec.commandLine(),
                    LogFormat.VARIABLE + " is text or json, not '" + value + "'"));
  }

  /** What was given on the command line and in the environment, over the defaults of a node. */
  NodeOptions options() {
    NodeOptions options = files.options(spec, System.getenv());
    return replaced == null ? options : options.replacing(replaced);
  }

  /**
   * In the shutdown hook. Java would report the signal as the status (143, 130); a node that
   * stopped on request has not failed, so the hook ends the process itself.
   */
  private static void stop(Node node) {
    int status = CommandLine.ExitCode.SOFTWARE;
    try {
      node.close();
      status = node.ended().isDone() ? status : CommandLine.ExitCode.OK;
    } finally {
      LogQueue.drain();
      Runtime.getRuntime().halt(status);
    }
  }
}
