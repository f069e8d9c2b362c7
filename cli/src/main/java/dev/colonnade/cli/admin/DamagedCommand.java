package dev.colonnade.cli.admin;

import dev.colonnade.admin.v1.AcceptLossRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.NodeServiceGrpc.NodeServiceBlockingStub;
import dev.colonnade.admin.v1.QuarantinedFile;
import dev.colonnade.cli.CommandException;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
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

  private static final long DEADLINE_SECONDS = 20;
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
    AcceptLossRequest request = file == null ? null : request(file);
    ManagedChannel channel = NettyChannelBuilder.forAddress(host, port).usePlaintext().build();
    try {
      NodeServiceBlockingStub node =
          NodeServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
      PrintWriter out = spec.commandLine().getOut();
      if (request == null) {
        list(node.getStats(GetStatsRequest.getDefaultInstance()).getQuarantinedFilesList(), out);
      } else {
        var unused = node.acceptLoss(request);
        out.println("what " + file + " held is given up");
      }
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (StatusRuntimeException e) {
      throw CommandException.failed(host + ":" + port + " answers: " + words(e.getStatus()), e);
    } finally {
      channel.shutdownNow();
    }
  }

  private AcceptLossRequest request(String file) {
    Matcher parts = FILE.matcher(file);
    if (!parts.matches()) {
      throw new ParameterException(
          spec.commandLine(), "--accept takes KEYSPACE.FAMILY/NUMBER, not " + file);
    }
    return AcceptLossRequest.newBuilder()
        .setKeyspace(parts.group(1))
        .setColumnFamily(parts.group(2))
        .setNumber(Long.parseLong(parts.group(3)))
        .build();
  }

  private static void list(List<QuarantinedFile> files, PrintWriter out) {
    for (QuarantinedFile file : files) {
      out.println(file.getKeyspace() + "." + file.getColumnFamily() + "/" + file.getNumber());
      out.println("  file:   " + file.getPath());
      out.println("  damage: at byte " + file.getOffset() + ", " + file.getReason());
      out.println("  since:  " + Instant.ofEpochSecond(file.getSinceSeconds()));
      if (!file.getRowsKnown()) {
        out.println("  every read of the family is concerned: which rows it held is not known");
      }
    }
    out.println(files.isEmpty() ? "no damaged files" : "damaged files: " + files.size());
  }

  private static String words(Status status) {
    return status.getDescription() == null ? status.getCode().name() : status.getDescription();
  }
}
