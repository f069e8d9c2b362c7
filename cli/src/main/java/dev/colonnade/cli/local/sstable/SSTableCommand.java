package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Reads, checks and writes data files of a node that does not run. */
@Command(
    name = "sstable",
    description = {
      "Reads, checks and writes the data files of a node that does not run. PATH is its data"
          + " directory, one of the directories of keyspaces and families in it, a directory of"
          + " data files that were copied elsewhere, or one of the files. What a node has in its"
          + " commit log alone is in no data file: run `colonnade drain` before you stop it.",
      ""
    },
    footer = {
      "",
      "For example:",
      "  colonnade sstable verify /var/lib/colonnade",
      "  colonnade sstable export /var/lib/colonnade --family Blog.Users --to users.rows",
      "  colonnade sstable import users.rows --to /var/lib/other --family Blog.Users"
    })
public final class SSTableCommand implements Runnable {

  private static final String PATH_HELP =
      "A node's data directory, a directory below it or elsewhere with data files, or a data file.";
  private static final String FAMILY_HELP =
      "Only this family: KEYSPACE.FAMILY, FAMILY, or its id (default: all; the only one, where one"
          + " is needed).";
  private static final String FORM_HELP =
      "classic, for people; or json, an object per line (default: classic).";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public SSTableCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "verify",
      description =
          "Checks all components of all files: every checksum, the order of rows and columns, the"
              + " tokens, that indexes and filter lead to each row, the statistics, and that the"
              + " files are those that the manifest lists. Says file, offset and what is wrong, and"
              + " changes nothing. The status is 1 if something is damaged.")
  int verify(
      @Parameters(paramLabel = "PATH", description = PATH_HELP) Path path,
      @Option(names = "--family", paramLabel = "FAMILY", description = FAMILY_HELP)
          @Nullable String family,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORM",
              defaultValue = "classic",
              description = FORM_HELP)
          String form)
      throws CommandException {
    boolean json = json(form);
    return doing(() -> new FileChecks(out(), err(), json).run(path, family == null ? "" : family));
  }

  @Command(
      name = "index",
      description =
          "Lists the sparse index of each file: the row, and the place in a wide row, where each"
              + " block of data begins; and the size of both indexes.")
  int index(
      @Parameters(paramLabel = "PATH", description = PATH_HELP) Path path,
      @Option(names = "--family", paramLabel = "FAMILY", description = FAMILY_HELP)
          @Nullable String family,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORM",
              defaultValue = "classic",
              description = FORM_HELP)
          String form)
      throws CommandException {
    boolean json = json(form);
    return doing(() -> new FileFigures(out(), json).index(path, family == null ? "" : family));
  }

  @Command(
      name = "filter",
      description =
          "Shows the Bloom filter of each file: its bits, those of each row, and the share of"
              + " absent rows that pass it, as the bits say and as measured.")
  int filter(
      @Parameters(paramLabel = "PATH", description = PATH_HELP) Path path,
      @Option(names = "--family", paramLabel = "FAMILY", description = FAMILY_HELP)
          @Nullable String family,
      @Option(
              names = "--tries",
              paramLabel = "N",
              defaultValue = "100000",
              description =
                  "How many absent rows are tried, 1 to 100000000 (default: ${DEFAULT-VALUE}).")
          int tries,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORM",
              defaultValue = "classic",
              description = FORM_HELP)
          String form)
      throws CommandException {
    if (tries < 1 || tries > 100_000_000) {
      throw new ParameterException(spec.commandLine(), "--tries is 1 to 100000000; got " + tries);
    }
    boolean json = json(form);
    return doing(
        () -> new FileFigures(out(), json).filter(path, family == null ? "" : family, tries));
  }

  @Command(
      name = "dump",
      description =
          "Prints the rows of a family for people, those of its files merged, or the rows of one"
              + " file: with timestamps, expiry, and everything that is deleted.")
  int dump(
      @Parameters(paramLabel = "PATH", description = PATH_HELP) Path path,
      @Option(names = "--family", paramLabel = "FAMILY", description = FAMILY_HELP)
          @Nullable String family,
      @Option(
              names = "--key",
              paramLabel = "KEY",
              description = "Only this row: text, or 0x and hexadecimal digits.")
          @Nullable String key,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "9223372036854775807",
              description = "At most so many rows (default: all).")
          long limit,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORM",
              defaultValue = "classic",
              description = "classic, for people; or json, the lines of an export.")
          String form)
      throws CommandException {
    boolean json = json(form);
    byte[] only = key == null ? null : key(key);
    return doing(
        () ->
            new RowCopies(out(), err())
                .dump(path, family == null ? "" : family, only, limit, json));
  }

  @Command(
      name = "export",
      description =
          "Writes the rows of a family, or of one file, as lines of JSON, with all that the data"
              + " files hold: timestamps, expiry, deleted columns, super columns, rows and ranges."
              + " An import makes a data file of them that exports to the same lines. Several files"
              + " are merged; of one column in several of them the version that counts is written.")
  int export(
      @Parameters(paramLabel = "PATH", description = PATH_HELP) Path path,
      @Option(names = "--family", paramLabel = "FAMILY", description = FAMILY_HELP)
          @Nullable String family,
      @Option(
              names = "--to",
              paramLabel = "FILE",
              description = "The file to write; it must not exist (default: standard output).")
          @Nullable Path to)
      throws CommandException {
    return doing(() -> new RowCopies(out(), err()).export(path, family == null ? "" : family, to));
  }

  @Command(
      name = "import",
      description =
          "Makes a data file of exported lines: in a family of a node that does not run, which"
              + " serves the rows when it starts, or in a directory of data files. All of it or"
              + " nothing: a line that cannot be read or is not in order ends it. The rows are not"
              + " sent to other nodes, and may be others' to serve: repair the family afterwards,"
              + " or use `colonnade bulkload` for rows of a whole cluster.")
  int importRows(
      @Parameters(paramLabel = "FILE", description = "The exported lines; - for standard input.")
          Path file,
      @Option(
              names = "--to",
              paramLabel = "PATH",
              required = true,
              description =
                  "The data directory of a node, with --family; or a directory of data files, which"
                      + " is created if it is not there.")
          Path to,
      @Option(
              names = "--family",
              paramLabel = "FAMILY",
              description = "The family of the node: KEYSPACE.FAMILY, FAMILY, or its id.")
          @Nullable String family)
      throws CommandException {
    return doing(
        () -> new RowCopies(out(), err()).importRows(file, to, family == null ? "" : family));
  }

  private boolean json(String form) {
    return OutputForm.of(form)
            .filter(each -> each != OutputForm.TABLE)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "--output is classic or json, not " + form))
        == OutputForm.JSON;
  }

  private byte[] key(String text) {
    try {
      return text.startsWith("0x")
          ? HexFormat.of().parseHex(text, 2, text.length())
          : text.getBytes(StandardCharsets.UTF_8);
    } catch (IllegalArgumentException invalid) {
      throw new ParameterException(
          spec.commandLine(), "what begins with 0x is pairs of hexadecimal digits", invalid);
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** What a subcommand does; it returns the exit status. */
  private interface Work {
    int run() throws IOException, OfflineException, CommandException;
  }

  private int doing(Work work) throws CommandException {
    LogLevel.unlessSet("ERROR");
    try {
      return work.run();
    } catch (OfflineException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    } catch (UnreadableFileException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw CommandException.failed("the files cannot be read or written: " + e, e);
    } finally {
      out().flush();
      err().flush();
    }
  }
}
