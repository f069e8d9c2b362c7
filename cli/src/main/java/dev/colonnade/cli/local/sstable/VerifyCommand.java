package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sstable verify}: checks all components of files. */
@Command(
    name = "verify",
    description =
        "Checks all components of all files: every checksum, the order of rows and columns, the"
            + " tokens, that indexes and filter lead to each row, the statistics, and that the"
            + " files are those that the manifest lists. Says file, offset and what is wrong, and"
            + " changes nothing. The status is 1 if something is damaged.")
final class VerifyCommand extends FileCommand {

  @Mixin private FileOptions files = new FileOptions();

  @Mixin private FormOption form = new FormOption();

  /** For picocli. */
  VerifyCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException {
    return new FileChecks(out, err, form.json()).run(files.path(), files.family());
  }
}
