package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.QuarantinedFile;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Lists the damaged data files of a node, and accepts the loss of one. */
@Command(
    name = "damaged",
    description = {
      "Lists the data files that a running node found damaged and set aside. Reads that they may"
          + " concern fail with DATA_LOSS until a sound copy is put in the file's place and the"
          + " node restarted, or the loss accepted.",
      ""
    })
public final class DamagedCommand implements Callable<Integer> {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Pattern FILE = Pattern.compile("(\\w+)\\.(\\w+)/(\\d{1,12})");

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The node's address for clients (default: ${DEFAULT-VALUE}).")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "9160",
      description = "The node's port for clients (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--accept",
      paramLabel = "KEYSPACE.FAMILY/NUMBER",
      description =
          "Give up what this file held, as the list names it. This cannot be taken back. The file"
              + " itself stays where it is.")
  private @Nullable String accepted;

  /** For picocli. */
  public DamagedCommand() {}

  @Override
  public Integer call() throws CommandException {
    if (port < 1 || port > 65_535) {
      throw new ParameterException(spec.commandLine(), "--port must be 1 to 65535, not " + port);
    }
    String file = accepted;
    Matcher parts = file == null ? null : parts(file);
    String address = host + ":" + port;
    PrintWriter out = spec.commandLine().getOut();
    ClientOptions options =
        ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(DEADLINE));
    try (Colonnade client = Colonnade.connect(address, options)) {
      if (parts == null) {
        list(client.node().statistics().quarantinedFiles(), out);
      } else {
        client.node().acceptLoss(parts.group(1), parts.group(2), Long.parseLong(parts.group(3)));
        out.println("what " + file + " held is given up");
      }
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (ColonnadeException e) {
      throw CommandException.failed(address + " answers: " + e.getMessage(), e);
    }
  }

  private Matcher parts(String file) {
    Matcher parts = FILE.matcher(file);
    if (!parts.matches()) {
      throw new ParameterException(
          spec.commandLine(), "--accept takes KEYSPACE.FAMILY/NUMBER, not " + file);
    }
    return parts;
  }

  private static void list(List<QuarantinedFile> files, PrintWriter out) {
    for (QuarantinedFile file : files) {
      out.println(file.keyspace() + "." + file.columnFamily() + "/" + file.number());
      out.println("  file:   " + file.path());
      out.println("  damage: at byte " + file.offset() + ", " + file.reason());
      out.println("  since:  " + file.since());
      if (!file.rowsKnown()) {
        out.println("  every read of the family is concerned: which rows it held is not known");
      }
    }
    out.println(files.isEmpty() ? "no damaged files" : "damaged files: " + files.size());
  }
}
