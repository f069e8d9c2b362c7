package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code sstable filter}: shows the Bloom filters of files. */
@Command(
    name = "filter",
    description =
        "Shows the Bloom filter of each file: its bits, those of each row, and the share of"
            + " absent rows that pass it, as the bits say and as measured.")
final class FilterCommand extends FileCommand {

  private static final int TRIES_MAX = 100_000_000;

  @Mixin private FileOptions files = new FileOptions();

  @Mixin private FormOption form = new FormOption();

  @Option(
      names = "--tries",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How many absent rows are tried, 1 to 100000000 (default: ${DEFAULT-VALUE}).")
  private int tries;

  /** For picocli. */
  FilterCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException {
    if (tries < 1 || tries > TRIES_MAX) {
      throw new ParameterException(
          command().commandLine(), "--tries is 1 to " + TRIES_MAX + "; got " + tries);
    }
    return new FileFigures(out, form.json()).filter(files.path(), files.family(), tries);
  }
}
