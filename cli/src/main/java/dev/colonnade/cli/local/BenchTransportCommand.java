package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.local.bench.TransportBenchmark;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
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
    try (TransportBenchmark benchmark = TransportBenchmark.start()) {
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
}
