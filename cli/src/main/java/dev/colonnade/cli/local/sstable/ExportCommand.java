package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sstable export}: writes rows as lines of JSON. */
@Command(
    name = "export",
    description =
        "Writes the rows of a family, or of one file, as lines of JSON, with all that the data"
            + " files hold: timestamps, expiry, deleted columns, super columns, rows and ranges."
            + " An import makes a data file of them that exports to the same lines. Several files"
            + " are merged; of one column in several of them the version that counts is written.")
final class ExportCommand extends FileCommand {

  @Mixin private FileOptions files = new FileOptions();

  @Option(
      names = "--to",
      paramLabel = "FILE",
      description = "The file to write; it must not exist (default: standard output).")
  private @Nullable Path to;

  /** For picocli. */
  ExportCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException, CommandException {
    return new RowCopies(out, err).export(files.path(), files.family(), to);
  }
}
