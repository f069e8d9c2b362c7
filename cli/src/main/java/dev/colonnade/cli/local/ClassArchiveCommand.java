package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * Runs what clients do, on a node of its own, and prints nothing. The launcher calls it once after
 * a build, in a process of which Java archives the loaded classes: later clients start from that
 * archive, which must hold the classes of real answers.
 */
@Command(
    name = "archive-classes",
    hidden = true,
    description = "Runs what clients do, so that the launcher can archive their classes.")
public final class ClassArchiveCommand implements Callable<Integer> {

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("create", "keyspace K"),
          List.of("create", "column family F with comparator = UTF8Type", "-k", "K"),
          List.of("create", "column family S with column_type = Super", "-k", "K"),
          List.of("set", "F['key']['name'] = 'value' with ttl = 3600", "-k", "K"),
          List.of("set", "K.S['key']['super']['name'] = 0xff00"),
          List.of("get", "K.F['key']['name']"),
          List.of("get", "K.F['key']", "-o", "json", "--consistency", "QUORUM"),
          List.of("get", "K.S['key']", "-o", "table"),
          List.of("list", "K.F"),
          List.of("count", "K.F['key']"),
          List.of("describe", "keyspace K"),
          List.of("ring"),
          List.of("info"),
          List.of("shell", "-k", "K", "-e", "get F['key']['none']; del F['key'];"));

  /**
   * What it does takes seconds. Somebody's first command waits for it, and goes on without an
   * archive if it hangs.
   */
  private static final Duration TIME_LIMIT = Duration.ofMinutes(1);

  private final Function<String[], CommandLine> commands;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /**
   * @param commands makes the command line for given arguments
   */
  public ClassArchiveCommand(Function<String[], CommandLine> commands) {
    this.commands = commands;
  }

  @Override
  public Integer call() throws CommandException, IOException {
    LogLevel.forClient();
    endInTime();
    try (TemporaryNode node = TemporaryNode.start()) {
      for (List<String> each : COMMANDS) {
        run(each, node.clientPort());
      }
    }
    return CommandLine.ExitCode.OK;
  }

  /** Ends the process when the time has passed, whatever it waits for. */
  private static void endInTime() {
    Thread watch =
        new Thread(
            () -> {
              try {
                Thread.sleep(TIME_LIMIT.toMillis());
                Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "time limit");
    watch.setDaemon(true);
    watch.start();
  }

  private void run(List<String> command, int port) throws CommandException {
    List<String> words = new ArrayList<>(command);
    words.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
    String[] args = words.toArray(String[]::new);
    StringWriter answer = new StringWriter();
    PrintWriter discarded = new PrintWriter(answer);
    int status = commands.apply(args).setOut(discarded).setErr(discarded).execute(args);
    if (status != CommandLine.ExitCode.OK) {
      throw CommandException.failed(
          command + " ends with status " + status + ": " + answer,
          new IllegalStateException(spec.qualifiedName()));
    }
  }
}
