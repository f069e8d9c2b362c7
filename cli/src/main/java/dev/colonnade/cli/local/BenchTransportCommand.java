package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.local.bench.TransportBenchmark;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.authority.CertificateDirectory.RefusedException;
import dev.colonnade.server.node.platform.SystemClock;
import dev.colonnade.server.node.tls.CertificateFileException;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.server.node.tls.PeerTls;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What messages between nodes cost. */
@Command(
    name = "transport",
    description = {
      "Measures messages between two ends of this process, over loopback.",
      "",
      "Sends requests of 1 kB with small answers, with various numbers in flight, and prints"
          + " requests per second, processor time of both ends per request, and requests per"
          + " message. Then measures whether heartbeats arrive on time while the other channel"
          + " classes are full.",
      ""
    },
    sortOptions = false)
public final class BenchTransportCommand implements Callable<Integer> {

  private static final Duration VALIDITY = Duration.ofDays(1);

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--warmup",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Seconds before measuring (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Seconds of each kind of load (default: ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--tls",
      description =
          "Encrypt the connections, as between nodes with certificates: the difference to a run"
              + " without is what encryption costs.")
  private boolean encrypted;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      converter = FormConverter.class,
      description = "The form of the figures: table, or json, an object per line (default: table).")
  private OutputForm form = OutputForm.TABLE;

  /** For picocli. */
  public BenchTransportCommand() {}

  @Override
  public Integer call() throws CommandException {
    LogLevel.unlessSet("ERROR");
    if (warmupSeconds < 0 || windowSeconds < 1) {
      throw new ParameterException(
          spec.commandLine(), "--seconds is 1 or more, --warmup 0 or more");
    }
    PrintWriter err = spec.commandLine().getErr();
    List<TransportBenchmark.Line> lines;
    try (TransportBenchmark benchmark = TransportBenchmark.start(encryption())) {
      lines =
          benchmark.measure(
              Duration.ofSeconds(warmupSeconds),
              Duration.ofSeconds(windowSeconds),
              line -> {
                err.println(line);
                err.flush();
              });
    } catch (IOException e) {
      throw CommandException.failed("cannot listen on loopback: " + e.getMessage(), e);
    } catch (IllegalStateException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    }
    new BenchReport(form.to(Printer.plain(spec.commandLine().getOut(), err))).transport(lines);
    return CommandLine.ExitCode.OK;
  }

  /** Certificates that last as long as this run does. */
  private Optional<TransportBenchmark.Encryption> encryption()
      throws CommandException, IOException {
    if (!encrypted) {
      return Optional.empty();
    }
    Path folder = TemporaryFolder.make("colonnade-bench-");
    try {
      CertificateDirectory certificates =
          new CertificateDirectory(folder.resolve("certs"), Instant.now());
      certificates.createAuthorities(TransportBenchmark.CLUSTER, VALIDITY);
      return Optional.of(
          new TransportBenchmark.Encryption(
              end(certificates, folder, "asking"), end(certificates, folder, "answering")));
    } catch (RefusedException | CertificateFileException e) {
      throw CommandException.failed("no certificates: " + e.getMessage(), e);
    } finally {
      TemporaryFolder.remove(folder);
    }
  }

  private static PeerTls end(CertificateDirectory certificates, Path folder, String name)
      throws IOException, RefusedException, CertificateFileException {
    CertifiedNode made =
        certificates.createNode(name, List.of("localhost"), Optional.empty(), VALIDITY);
    String home = folder.resolve("certs").resolve(name).toString();
    return NodeTls.of(NodeSettings.DEFAULT.with(TlsSettings.DIRECTORY, home), new SystemClock())
        .peers()
        .orElseThrow(() -> new IllegalStateException("no encryption for " + made));
  }
}
