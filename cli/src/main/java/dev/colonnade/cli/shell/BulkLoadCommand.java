package dev.colonnade.cli.shell;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.shell.copy.RecordFormat;
import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.run.ExitStatus;
import dev.colonnade.cli.shell.run.FamilyBulkLoad;
import dev.colonnade.cli.shell.run.Interpreter;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.cli.shell.run.StatementFailure;
import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.Consistency;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Loads files into a family in bulk. */
@Command(
    name = "bulkload",
    sortOptions = false,
    description = {
      "Loads records of files into a column family in bulk: sorts them here and sends them to every"
          + " replica, which writes them straight into data files. Much cheaper for the nodes than"
          + " copy, which inserts them; the files are the same.",
      ""
    })
public final class BulkLoadCommand implements Callable<Integer> {

  private static final int MEBIBYTE_BITS = 20;

  @CommandLine.Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  @Parameters(
      index = "0",
      paramLabel = "FAMILY",
      description = "The column family: KEYSPACE.FAMILY, or FAMILY with --keyspace.")
  private String family = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Files of records as `copy` writes and reads them: CSV with a heading (key, column,"
              + " value; super_column in a Super family; timestamp, ttl), or an object of JSON on"
              + " each line.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "csv or json (default: what the files' names end with).")
  private @Nullable String format;

  @Option(
      names = "--memory",
      paramLabel = "MIB",
      defaultValue = "64",
      description =
          "How much is held in memory while it is sorted; the rest is spilled to files (default:"
              + " ${DEFAULT-VALUE}).")
  private int memory;

  @Option(
      names = "--temp",
      paramLabel = "DIRECTORY",
      description =
          "Where files of sorted columns are spilled, twice the size of the data; they are deleted"
              + " at the end (default: the system's directory for temporary files).")
  private @Nullable Path temporary;

  @Option(
      names = "--part",
      paramLabel = "MIB",
      defaultValue = "256",
      description =
          "How much becomes visible at a replica in one step, and is sent again if it fails"
              + " (default: ${DEFAULT-VALUE}).")
  private int part;

  @Option(
      names = "--parallel",
      paramLabel = "NUMBER",
      defaultValue = "2",
      description =
          "How many parts are sent at a time; a node takes 4 of all its clients, unless its setting"
              + " bulk_load_concurrency says otherwise (default: ${DEFAULT-VALUE}).")
  private int parallel;

  @Option(
      names = "--state",
      paramLabel = "FILE",
      description =
          "Remembers what replicas have taken. After a kill, or when a replica was down, run the"
              + " same command again: it sends only what is missing (default: the first file's name"
              + " with .load added; deleted when nothing is missing).")
  private @Nullable Path state;

  @Option(
      names = "--bad",
      paramLabel = "FILE",
      description =
          "Takes the records that cannot be loaded (default: the first file's name with .bad"
              + " added).")
  private @Nullable Path bad;

  /** For picocli. */
  public BulkLoadCommand() {}

  @Override
  public Integer call() throws CommandException {
    LogLevel.forClient();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Optional<RecordFormat> records = format();
    BulkLoadOptions options = options();
    try (Session session = connection.session(connection.client(), out, err)) {
      try {
        connection.prepare(new Interpreter(session, topic -> Manual.load().answer(topic)));
        boolean chosen = spec.commandLine().getParseResult().hasMatchedOption("--consistency");
        new FamilyBulkLoad(
                session, options.withConsistency(chosen ? level(session) : Consistency.ALL))
            .run(family, files, records, bad == null ? beside(".bad") : bad);
        return ExitStatus.OK.code();
      } catch (StatementFailure e) {
        session.output().failed(e.problem(spec.qualifiedName()));
        return e.status().code();
      }
    } finally {
      out.flush();
      err.flush();
    }
  }

  private Consistency level(Session session) {
    Consistency level = session.consistency();
    if (level == Consistency.ANY || level == Consistency.ZERO) {
      throw new ParameterException(
          spec.commandLine(), "a load needs at least one replica: --consistency ONE or more");
    }
    return level;
  }

  private Optional<RecordFormat> format() {
    if (format == null) {
      return Optional.empty();
    }
    Optional<RecordFormat> named = RecordFormat.of(format);
    if (named.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "there is no format " + format + "; there are " + RecordFormat.names());
    }
    return named;
  }

  private BulkLoadOptions options() {
    require("--memory", memory, 1 << 20);
    require("--part", part, 1 << 20);
    require("--parallel", parallel, 64);
    BulkLoadOptions options =
        BulkLoadOptions.defaults()
            .withMemoryBytes((long) memory << MEBIBYTE_BITS)
            .withPartBytes((long) part << MEBIBYTE_BITS)
            .withParallel(parallel)
            .withStateFile(state == null ? beside(".load") : state);
    return temporary == null ? options : options.withDirectory(temporary);
  }

  private void require(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          spec.commandLine(), option + " is a number from 1 to " + most + "; got " + value);
    }
  }

  private Path beside(String ending) {
    Path first = files.get(0);
    return first.resolveSibling(first.getFileName() + ending);
  }
}
