package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.local.bench.LoadBenchmark;
import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.client.ColonnadeException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What it costs a node to take rows in three ways. */
@Command(
    name = "load",
    description = {
      "Measures how much processor time one node takes for the same rows as single inserts, as"
          + " batches of one stream (StreamMutate), and as bulk loads, by turns.",
      "",
      "Each way writes its own family, which ends as data files on the disk: after inserts and"
          + " batches it is flushed. The result that counts is the node's processor time for a byte"
          + " of keys, names and values. Takes a minute or two.",
      ""
    },
    sortOptions = false)
public final class BenchLoadCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "50000",
      description = "How many rows each turn writes (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--columns",
      paramLabel = "N",
      defaultValue = "5",
      description = "How many columns a row has (default: ${DEFAULT-VALUE}).")
  private int columns;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "How long values are; half of their bytes are random (default:" + " ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Turns of each way, of which the first warms up (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "The heap of the node, as for -Xmx (default: ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      converter = FormConverter.class,
      description = "The form of the figures: table, or json, an object per line (default: table).")
  private OutputForm form = OutputForm.TABLE;

  /** For picocli. */
  public BenchLoadCommand() {}

  @Override
  public Integer call() throws CommandException, IOException, InterruptedException {
    LogLevel.unlessSet("WARN");
    if (rows < 1 || columns < 1 || valueBytes < 1 || rounds < 2) {
      throw new ParameterException(
          spec.commandLine(),
          "--rows, --columns and --value-bytes are 1 or more, --rounds 2 or more");
    }
    Output output =
        form.to(Printer.plain(spec.commandLine().getOut(), spec.commandLine().getErr()));
    List<LoadBenchmark.Line> lines;
    try (TemporaryCluster node =
        TemporaryCluster.start(
            1,
            new NodeProcess.Memory(heap, List.of("-Xms" + heap)),
            List.of("--bulk-load-limit", "0"))) {
      lines =
          new LoadBenchmark(new LoadBenchmark.Plan(rows, columns, valueBytes, rounds))
              .measure(
                  node.addresses().get(0),
                  node.pids(),
                  line -> {
                    spec.commandLine().getErr().println(line);
                    spec.commandLine().getErr().flush();
                  });
    } catch (ColonnadeException e) {
      throw CommandException.failed("a call failed: " + e.getMessage(), e);
    }
    new BenchReport(output).load(lines);
    return CommandLine.ExitCode.OK;
  }
}
