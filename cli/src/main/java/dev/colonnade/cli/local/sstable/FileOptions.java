package dev.colonnade.cli.local.sstable;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which files are read. */
final class FileOptions {

  @Parameters(
      paramLabel = "PATH",
      description =
          "A node's data directory, a directory below it or elsewhere with data files, or a data"
              + " file.")
  private Path path = Path.of("");

  @Option(
      names = "--family",
      paramLabel = "FAMILY",
      description =
          "Only this family: KEYSPACE.FAMILY, FAMILY, or its id (default: all; the only one, where"
              + " one is needed).")
  private @Nullable String family;

  /** For picocli. */
  FileOptions() {}

  Path path() {
    return path;
  }

  /** The family's name or id; empty if none was named. */
  String family() {
    return family == null ? "" : family;
  }
}
