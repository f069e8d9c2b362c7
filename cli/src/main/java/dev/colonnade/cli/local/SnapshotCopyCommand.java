package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.local.sstable.ProgressLine;
import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.snapshot.SnapshotCopier;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotManifestFile;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Copies snapshots to a directory that keeps files which several copies have once. */
@Command(
    name = "copy",
    sortOptions = false,
    description = {
      "Copies snapshots to a directory, usually one of another machine or disk. A data file that an"
          + " older copy there has already is neither read nor copied: both copies share it by a hard"
          + " link. So each copy is a whole snapshot, to be verified and restored like any other, and"
          + " costs what is new. What is copied is compared with the checksums of the manifest. After"
          + " a kill, the same command goes on. Needs no node.",
      ""
    },
    footer = {
      "",
      "For example, on each node:",
      "  colonnade snapshot copy /var/lib/colonnade/data/snapshots/tuesday --to /mnt/backup"
    })
public final class SnapshotCopyCommand implements Callable<Integer> {

  private static final long BYTES_PER_MEGABYTE = 1_000_000;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(
      paramLabel = "DIR",
      arity = "1..*",
      description = "The directories of snapshots: each has a file named manifest.")
  private List<Path> directories = new ArrayList<>();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "STORE",
      description =
          "Where copies are kept: that of the snapshot NAME of a node becomes"
              + " STORE/NODE/snapshots/NAME, with the node's id. Created if it is missing.")
  private @Nullable Path store;

  @Option(
      names = "--limit",
      paramLabel = "MB",
      defaultValue = "0",
      description = "How many megabytes are read in a second at most (default: no limit).")
  private int limit;

  @Option(
      names = "--reread",
      description =
          "Read also files that are there already, and copy those again that are damaged.")
  private boolean reread;

  /** For picocli. */
  public SnapshotCopyCommand() {}

  @Override
  public Integer call() throws CommandException {
    Path to = store;
    if (to == null || limit < 0) {
      throw new ParameterException(
          spec.commandLine(), "--limit is a number of megabytes from 0, not " + limit);
    }
    for (Path directory : directories) {
      copy(directory, new SnapshotStore(to));
    }
    return CommandLine.ExitCode.OK;
  }

  private void copy(Path directory, SnapshotStore to) throws CommandException {
    if (!Files.isRegularFile(directory.resolve("manifest"))) {
      throw CommandException.misconfigured(
          directory + " is no snapshot: it has no file named manifest",
          new FileNotFoundException(directory.toString()));
    }
    ProgressLine progress = new ProgressLine(spec.commandLine().getErr(), true);
    try {
      OsFileSystem snapshot = OsFileSystem.open(directory);
      SnapshotManifest manifest = SnapshotManifestFile.read(snapshot, "");
      OsFileSystem copies = OsFileSystem.open(to.node(manifest.nodeId()));
      Closeable lock = SnapshotStore.lock(copies);
      try {
        Throttle throttle = new Throttle(limit * BYTES_PER_MEGABYTE);
        SnapshotCopier.Copied copied =
            SnapshotCopier.copy(
                snapshot,
                copies,
                reread,
                (doneBytes, readBytes) -> {
                  progress.show(manifest.name(), doneBytes, manifest.bytes());
                  LockSupport.parkNanos(throttle.take(readBytes, System.nanoTime()).toNanos());
                });
        progress.clear();
        report(copies.describe(SnapshotDirectory.path(manifest.name())), copied);
      } finally {
        lock.close();
      }
    } catch (SnapshotRefusedException refused) {
      throw CommandException.misconfigured(String.valueOf(refused.getMessage()), refused);
    } catch (UnreadableFileException damaged) {
      throw CommandException.failed(
          "the snapshot cannot be copied: " + damaged.getMessage(), damaged);
    } catch (IOException e) {
      throw CommandException.failed("cannot read or write: " + e, e);
    } finally {
      progress.clear();
    }
  }

  private void report(String where, SnapshotCopier.Copied copied) {
    spec.commandLine()
        .getOut()
        .println(
            "%s: %d data files, %d bytes: %d copied, %d shared with older copies, %d there already"
                .formatted(
                    where,
                    copied.manifest().files(),
                    copied.manifest().bytes(),
                    copied.copiedBytes(),
                    copied.sharedBytes(),
                    copied.keptBytes()));
    spec.commandLine().getOut().flush();
    if (copied.unlinkedBytes() > 0) {
      spec.commandLine()
          .getErr()
          .println(
              "The file system there made no hard links: "
                  + copied.unlinkedBytes()
                  + " bytes that older copies have were copied again.");
      spec.commandLine().getErr().flush();
    }
  }
}
