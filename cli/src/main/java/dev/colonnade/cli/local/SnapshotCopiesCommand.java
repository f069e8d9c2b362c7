package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists the copies of snapshots in a directory. */
@Command(
    name = "copies",
    description = {
      "Lists the copies of snapshots that `snapshot copy` made in a directory, those of a node oldest"
          + " first: how many bytes each has, how many of them no older copy has, and how many"
          + " deleting it would free. Needs no node.",
      ""
    })
public final class SnapshotCopiesCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(paramLabel = "STORE", description = "The directory with copies.")
  private @Nullable Path store;

  /** For picocli. */
  public SnapshotCopiesCommand() {}

  @Override
  public Integer call() throws CommandException {
    PrintWriter out = spec.commandLine().getOut();
    Path root = store;
    if (root == null) {
      throw new CommandLine.ParameterException(spec.commandLine(), "name the directory");
    }
    for (Path node : new SnapshotStore(root).nodes()) {
      try {
        SnapshotDirectory copies = new SnapshotDirectory(OsFileSystem.open(node));
        for (SnapshotDirectory.Listed each : copies.list(Set.of())) {
          out.println(describe(node, each));
        }
        for (String name : copies.unfinished()) {
          out.println(node.resolve(SnapshotDirectory.path(name)) + ": not finished");
        }
      } catch (IOException e) {
        throw CommandException.failed("cannot read " + node + ": " + e, e);
      }
    }
    out.flush();
    return CommandLine.ExitCode.OK;
  }

  /** One line about a copy. */
  static String describe(Path node, SnapshotDirectory.Listed copy) {
    SnapshotManifest manifest = copy.manifest();
    return "%s: taken %s, %d bytes, %d new, %d freed by deleting it"
        .formatted(
            node.resolve(SnapshotDirectory.path(manifest.name())),
            Instant.EPOCH
                .plus(manifest.createdMicros(), ChronoUnit.MICROS)
                .truncatedTo(ChronoUnit.SECONDS),
            manifest.bytes(),
            copy.newBytes(),
            copy.freedBytes());
  }
}
