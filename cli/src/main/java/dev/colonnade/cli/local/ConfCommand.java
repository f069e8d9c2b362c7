package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.schema.ComparatorResolver;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Looks after configuration files without starting a node. */
@Command(name = "conf", description = "Checks configuration files, without starting a node.")
public final class ConfCommand implements Runnable {

  private static final long FILE_BYTES_MAX = 4L << 20;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public ConfCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "check",
      description = {
        "Reads a storage-conf.xml as `server --storage-conf` would, and prints what it defines and"
            + " what in it has no effect. The status is 2 if it cannot be used. Your own"
            + " comparators are not known here: they are loaded from a node's data directory.",
        ""
      })
  int check(@Parameters(paramLabel = "FILE", description = "The file to read.") Path file)
      throws CommandException {
    StorageConf conf = read(file);
    PrintWriter out = spec.commandLine().getOut();
    conf.keyspaces()
        .forEach(
            keyspace ->
                out.println(
                    "keyspace "
                        + keyspace.name()
                        + ": "
                        + keyspace.families().size()
                        + (keyspace.families().size() == 1 ? " family" : " families")));
    for (StorageConf.IgnoredElement ignored : conf.ignored()) {
      out.println(
          "line " + ignored.line() + ": " + ignored.name() + " has no effect: " + ignored.reason());
    }
    out.println(file + " can be used");
    out.flush();
    return CommandLine.ExitCode.OK;
  }

  private static StorageConf read(Path file) throws CommandException {
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw CommandException.misconfigured(
            file
                + " is larger than "
                + FILE_BYTES_MAX
                + " bytes, too many for a configuration file",
            new IOException("too large"));
      }
      return StorageConf.parse(
          file.toString(),
          Files.readAllBytes(file),
          NodeSettings.DEFAULT,
          ComparatorResolver.builtIns());
    } catch (StorageConfException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    } catch (NoSuchFileException e) {
      throw CommandException.misconfigured("there is no file " + file, e);
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + file + ": " + e, e);
    }
  }
}
