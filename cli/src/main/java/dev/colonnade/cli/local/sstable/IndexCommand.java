package dev.colonnade.cli.local.sstable;

import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sstable index}: lists the sparse index of files. */
@Command(
    name = "index",
    description =
        "Lists the sparse index of each file: the row, and the place in a wide row, where each"
            + " block of data begins; and the size of both indexes.")
final class IndexCommand extends FileCommand {

  @Mixin private FileOptions files = new FileOptions();

  @Mixin private FormOption form = new FormOption();

  /** For picocli. */
  IndexCommand() {}

  @Override
  int run(PrintWriter out, PrintWriter err) throws IOException, OfflineException {
    return new FileFigures(out, form.json()).index(files.path(), files.family());
  }
}
