package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.cli.LoginOptions;
import dev.colonnade.cli.TlsOptions;
import dev.colonnade.cli.local.restore.LogArchives;
import dev.colonnade.cli.local.restore.RestoreException;
import dev.colonnade.cli.local.restore.SnapshotRestore;
import dev.colonnade.cli.shell.Consoles;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.node.platform.OsFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Restores the snapshots of nodes into a cluster. */
@Command(
    name = "restore",
    sortOptions = false,
    description = {
      "Restores snapshots of one or several nodes, taken together, into a cluster with any ring:"
          + " verifies them, merges them here, writes their deletions with their timestamps, loads"
          + " the rest in bulk at every replica, and reads it back. With archives of the commit log"
          + " it goes on from there up to a moment. The status is 1 if nothing, or not everything,"
          + " was restored.",
      ""
    })
public final class SnapshotRestoreCommand implements Callable<Integer> {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int MEBIBYTE_BITS = 20;
  private static final int MEMORY_MAX = 1 << 20;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      paramLabel = "DIR",
      arity = "1..*",
      description =
          "The directories of snapshots, one of each node: each has a file named manifest.")
  private List<Path> directories = new ArrayList<>();

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "${env:COLONNADE_HOST:-127.0.0.1}",
      description =
          "A node of the cluster that is restored into (default: $COLONNADE_HOST, or 127.0.0.1).")
  private String host = "";

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      defaultValue = "${env:COLONNADE_PORT:-9160}",
      description = "The node's port for clients (default: $COLONNADE_PORT, or 9160).")
  private int port;

  @Mixin private TlsOptions tls = new TlsOptions();

  @Mixin private LoginOptions login = new LoginOptions();

  @Option(
      names = "--create-schema",
      description = "Create keyspaces and families that are missing, as they are in the snapshots.")
  private boolean createSchema;

  @Option(
      names = "--merge",
      description =
          "Restore also into families that have rows: what the cluster has with later timestamps"
              + " stays. Without this such families are refused.")
  private boolean merge;

  @Option(
      names = "--only",
      paramLabel = "KEYSPACE",
      split = ",",
      description = "Restore these keyspaces alone (default: all that are in the snapshots).")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--accounts",
      description =
          "Restore users, roles and permissions as well, after the rows: of each field of an account"
              + " the later change stays. Only a superuser can.")
  private boolean accounts;

  @Option(
      names = "--accounts-only",
      description = "Restore users, roles and permissions as --accounts does, and nothing else.")
  private boolean accountsOnly;

  @Option(
      names = "--log-archive",
      paramLabel = "DIRECTORY",
      description =
          "Restore also what the nodes' archives of the commit log have, up to --until: the"
              + " directory of one node, or that of all nodes. May be given several times.")
  private List<Path> logArchives = new ArrayList<>();

  @Option(
      names = "--until",
      paramLabel = "MOMENT",
      description =
          "With --log-archive: leave out what was written with a later timestamp. A moment as"
              + " 2026-01-31T12:00:00Z, or microseconds since 1970.")
  private @Nullable String until;

  @Option(
      names = "--accept-gaps",
      description =
          "Restore although segments of an archive, or the archive of a node, are missing.")
  private boolean acceptGaps;

  @Option(
      names = "--state",
      paramLabel = "DIRECTORY",
      description =
          "Remembers here what replicas have taken. After a kill, run the same command again: it"
              + " sends only what is missing.")
  private @Nullable Path state;

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
          "Where files of sorted columns are spilled, twice the size of a family; they are deleted"
              + " at the end (default: the system's directory for temporary files).")
  private @Nullable Path temporary;

  /** For picocli. */
  public SnapshotRestoreCommand() {}

  @Override
  public Integer call() throws CommandException {
    LogLevel.forClient();
    requireNumber("--port", port, 65_535);
    requireNumber("--memory", memory, MEMORY_MAX);
    List<FileSystem> snapshots = new ArrayList<>();
    for (Path directory : directories) {
      snapshots.add(open(directory));
    }
    SnapshotRestore.Options options =
        new SnapshotRestore.Options(
            createSchema,
            merge,
            only,
            accountsOnly
                ? SnapshotRestore.Accounts.ALONE
                : accounts ? SnapshotRestore.Accounts.RESTORED : SnapshotRestore.Accounts.LEFT,
            Optional.ofNullable(state),
            Optional.ofNullable(temporary),
            (long) memory << MEBIBYTE_BITS,
            log());
    ClientOptions calls =
        login.apply(
            tls.apply(
                ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(DEADLINE))),
            Consoles.console());
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try (Colonnade client = Colonnade.connect(List.of(host + ":" + port), calls)) {
      if (state != null) {
        Files.createDirectories(state);
      }
      SnapshotRestore restore =
          new SnapshotRestore(
              client,
              options,
              line -> {
                err.println(line);
                err.flush();
              });
      return report(restore.run(snapshots), out);
    } catch (RestoreException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    } catch (ColonnadeException e) {
      throw CommandException.failed(host + ":" + port + " answers: " + e.getMessage(), e);
    } catch (UnreadableFileException e) {
      throw CommandException.failed("a snapshot is damaged: " + e.getMessage(), e);
    } catch (IOException e) {
      throw CommandException.failed("cannot read or write: " + e, e);
    } catch (UncheckedIOException e) {
      throw CommandException.failed("cannot write sorted columns: " + e.getCause(), e);
    } finally {
      out.flush();
    }
  }

  private Optional<LogArchives> log() {
    String moment = until;
    if (moment == null || logArchives.isEmpty()) {
      if (moment != null || !logArchives.isEmpty() || acceptGaps) {
        throw new ParameterException(
            spec.commandLine(), "--log-archive and --until are given together");
      }
      return Optional.empty();
    }
    return Optional.of(new LogArchives(logArchives, micros(moment), acceptGaps));
  }

  private long micros(String moment) {
    try {
      return moment.chars().allMatch(Character::isDigit)
          ? Long.parseLong(moment)
          : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(moment));
    } catch (DateTimeParseException | NumberFormatException | ArithmeticException invalid) {
      throw new ParameterException(
          spec.commandLine(),
          "--until is a moment as 2026-01-31T12:00:00Z, or microseconds since 1970, not " + moment,
          invalid);
    }
  }

  private static int report(List<SnapshotRestore.Restored> families, PrintWriter out) {
    boolean whole = true;
    for (SnapshotRestore.Restored family : families) {
      out.println(
          family.name()
              + ": "
              + family.rows()
              + " rows with "
              + family.columns()
              + " columns, and "
              + family.deletions()
              + " deletions");
      for (String missing : family.missing()) {
        out.println(family.name() + ": " + missing + "; restore again, or repair it");
        whole = false;
      }
    }
    return whole ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private void requireNumber(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          spec.commandLine(), option + " is a number from 1 to " + most + ", not " + value);
    }
  }

  private static FileSystem open(Path directory) throws CommandException {
    if (!Files.isRegularFile(directory.resolve("manifest"))) {
      throw CommandException.misconfigured(
          directory + " is no snapshot: it has no file named manifest",
          new FileNotFoundException(directory.toString()));
    }
    try {
      return OsFileSystem.open(directory);
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + directory + ": " + e, e);
    }
  }
}
