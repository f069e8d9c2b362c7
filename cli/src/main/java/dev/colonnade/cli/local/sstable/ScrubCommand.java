package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sstable scrub}: salvages the sound rows of damaged files. */
@Command(
    name = "scrub",
    description =
        "Salvages what is sound of damaged data files, those in quarantine included: writes the"
            + " rows of all blocks whose checksums match into a new file with all its components,"
            + " and says after which row and up to which row something may be missing. Sound files"
            + " are left out, and damaged ones are never changed. Deletions may be among what is"
            + " missing, so that data which they hid appears again: repair the family afterwards."
            + " The status is 1 if something is missing.")
final class ScrubCommand extends FileCommand {

  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description =
          "A node's data directory, a directory below it or elsewhere with data files, or a data"
              + " file.")
  private List<Path> paths = List.of();

  @Option(
      names = "--family",
      paramLabel = "FAMILY",
      description = "Only this family: KEYSPACE.FAMILY, FAMILY, or its id (default: all).")
  private @Nullable String family;

  @Option(
      names = "--into",
      paramLabel = "DIR",
      description =
          "Writes new files into this directory of data files, which is created if it is not"
              + " there, for export, bulkload or a look at them.")
  private @Nullable Path into;

  @Option(
      names = "--replace",
      description =
          "Puts each new file in the place of the damaged one, in the data directory of a node"
              + " that does not run; the damaged file is kept in quarantine. A file of which"
              + " something is missing is replaced with --accept-loss only.")
  private boolean replace;

  @Option(
      names = "--accept-loss",
      description =
          "With --replace: replaces also files of which something is missing. Reads are answered"
              + " without it then, so an older version of a value, or deleted data, may appear.")
  private boolean acceptLoss;

  @Mixin private FormOption form = new FormOption();

  /** For picocli. */
  ScrubCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException {
    if (replace == (into != null)) {
      throw new ParameterException(
          command().commandLine(), "name either --into DIR or --replace, for what is salvaged");
    }
    if (acceptLoss && !replace) {
      throw new ParameterException(
          command().commandLine(), "--accept-loss belongs to --replace; --into replaces nothing");
    }
    FileScrubs scrubs = new FileScrubs(out, err, form.json(), into, acceptLoss);
    for (Path path : paths) {
      scrubs.run(path, family == null ? "" : family);
    }
    return scrubs.finish();
  }
}
