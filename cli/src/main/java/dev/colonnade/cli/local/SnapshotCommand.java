package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotVerifier;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Snapshots: those of nodes, by statements of the shell, and directories without a node. */
@Command(
    name = "snapshot",
    description =
        "Takes, lists and clears snapshots of nodes; copies, verifies and restores snapshots, and"
            + " lists and deletes copies, without those nodes.")
public final class SnapshotCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public SnapshotCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "verify",
      description = {
        "Compares the files of snapshots with their manifests: that each is there, with its length"
            + " and its checksum; and reads the rows of each. Needs no node and writes nothing. The"
            + " status is 1 if anything is missing or damaged.",
        ""
      })
  int verify(
      @Parameters(
              paramLabel = "DIR",
              arity = "1..*",
              description = "The directories of snapshots: each has a file named manifest.")
          List<Path> directories)
      throws CommandException {
    PrintWriter out = spec.commandLine().getOut();
    List<Path> damaged = new ArrayList<>();
    for (Path directory : directories) {
      if (!isSound(directory, out)) {
        damaged.add(directory);
      }
      out.flush();
    }
    return damaged.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private static boolean isSound(Path directory, PrintWriter out) throws CommandException {
    if (!Files.isDirectory(directory)) {
      throw CommandException.misconfigured(
          directory + " is not a directory", new FileNotFoundException(directory.toString()));
    }
    SnapshotVerifier.Report report;
    try {
      report =
          SnapshotVerifier.verify(
              OsFileSystem.open(directory), ComparatorResolver.builtIns(), bytes -> {});
    } catch (FileNotFoundException noManifest) {
      throw CommandException.misconfigured(
          directory + " is no snapshot: it has no file named manifest", noManifest);
    } catch (UnreadableFileException damagedManifest) {
      out.println(directory + ": " + damagedManifest.getMessage());
      return false;
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + directory + ": " + e, e);
    }
    SnapshotManifest manifest = report.manifest();
    report.damage().forEach(each -> out.println(directory + ": " + each));
    if (!report.unchecked().isEmpty()) {
      out.println(directory + ": " + report.unchecked());
    }
    if (manifest.missing() > 0) {
      out.println(
          directory
              + ": lacks what "
              + manifest.missing()
              + " damaged files of the node held, which were set aside when it was taken");
    }
    out.println(
        "%s: snapshot %s of node %s of %s, %s: %d column families, %d data files, %d bytes, %s"
            .formatted(
                directory,
                manifest.name(),
                manifest.nodeId(),
                manifest.cluster(),
                Instant.EPOCH
                    .plus(manifest.createdMicros(), ChronoUnit.MICROS)
                    .truncatedTo(ChronoUnit.SECONDS),
                manifest.families().size(),
                manifest.files(),
                manifest.bytes(),
                report.damage().isEmpty() ? "sound" : report.damage().size() + " faults"));
    return report.damage().isEmpty();
  }
}
