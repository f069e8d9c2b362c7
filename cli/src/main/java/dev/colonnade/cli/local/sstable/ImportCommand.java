package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sstable import}: makes a data file of exported lines. */
@Command(
    name = "import",
    description =
        "Makes a data file of exported lines: in a family of a node that does not run, which"
            + " serves the rows when it starts, or in a directory of data files. All of it or"
            + " nothing: a line that cannot be read or is not in order ends it. The rows are not"
            + " sent to other nodes, and may be others' to serve: repair the family afterwards,"
            + " or use `colonnade bulkload` for rows of a whole cluster.")
final class ImportCommand extends FileCommand {

  @Parameters(paramLabel = "FILE", description = "The exported lines; - for standard input.")
  private Path file = Path.of("");

  @Option(
      names = "--to",
      paramLabel = "PATH",
      required = true,
      description =
          "The data directory of a node, with --family; or a directory of data files, which is"
              + " created if it is not there.")
  private Path to = Path.of("");

  @Option(
      names = "--family",
      paramLabel = "FAMILY",
      description = "The family of the node: KEYSPACE.FAMILY, FAMILY, or its id.")
  private @Nullable String family;

  /** For picocli. */
  ImportCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException, CommandException {
    return new RowCopies(out, err).importRows(file, to, family == null ? "" : family);
  }
}
