package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Deletes old copies of snapshots. */
@Command(
    name = "prune",
    sortOptions = false,
    description = {
      "Deletes all but the newest copies of each node's snapshots in a directory that `snapshot copy`"
          + " made, and what copies that were interrupted left. A file goes with the last copy that"
          + " has it. A copy whose manifest is damaged is neither counted nor deleted. Needs no node.",
      ""
    })
public final class SnapshotPruneCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(paramLabel = "STORE", description = "The directory with copies.")
  private @Nullable Path store;

  @Option(
      names = "--keep",
      required = true,
      paramLabel = "N",
      description = "How many copies of each node stay, the newest ones; at least 1.")
  private int keep;

  /** For picocli. */
  public SnapshotPruneCommand() {}

  @Override
  public Integer call() throws CommandException {
    Path root = store;
    if (root == null || keep < 1) {
      throw new ParameterException(
          spec.commandLine(), "--keep is a number of copies from 1, not " + keep);
    }
    for (Path node : new SnapshotStore(root).nodes()) {
      try {
        OsFileSystem files = OsFileSystem.open(node);
        Closeable lock = SnapshotStore.lock(files);
        try {
          prune(node, new SnapshotDirectory(files));
        } finally {
          lock.close();
        }
      } catch (IOException e) {
        throw CommandException.failed("cannot change the copies in " + node + ": " + e, e);
      }
    }
    return CommandLine.ExitCode.OK;
  }

  private void prune(Path node, SnapshotDirectory copies) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    for (String name : copies.unfinished()) {
      out.println("deleting " + node.resolve(SnapshotDirectory.path(name)) + ": not finished");
      out.flush();
    }
    copies.sweep();
    // What one of them frees depends on which others are left, so the list is made again each time.
    for (List<SnapshotDirectory.Listed> left = copies.list(Set.of());
        left.size() > keep;
        left = copies.list(Set.of())) {
      out.println("deleting " + SnapshotCopiesCommand.describe(node, left.get(0)));
      out.flush();
      copies.delete(left.get(0).manifest().name());
    }
  }
}
