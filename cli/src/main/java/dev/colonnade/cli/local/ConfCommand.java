package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.admin.ConfListCommand;
import dev.colonnade.cli.admin.ConfResetCommand;
import dev.colonnade.cli.admin.ConfSetCommand;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.OutputForm;
import dev.colonnade.cli.shell.output.Printer;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Looks after configurations: those of files, and those of running nodes. */
@Command(
    name = "conf",
    description =
        "Checks, shows and converts configurations, and lists and changes the settings of running"
            + " nodes.",
    subcommands = {
      ConfShowCommand.class,
      ConfConvertCommand.class,
      ConfListCommand.class,
      ConfSetCommand.class,
      ConfResetCommand.class
    })
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
  int check(
      @Parameters(paramLabel = "FILE", description = "The file to read.") Path file,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "FORM",
              defaultValue = "classic",
              description = "classic, for people; or json, an object (default: classic).")
          String form)
      throws CommandException {
    OutputForm output =
        OutputForm.of(form)
            .filter(each -> each != OutputForm.TABLE)
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(), "--output is classic or json, not " + form));
    StorageConf conf = parse(file, content(file));
    PrintWriter out = spec.commandLine().getOut();
    if (output == OutputForm.JSON) {
      output.to(Printer.plain(out, spec.commandLine().getErr())).listing(listing(file, conf));
      return CommandLine.ExitCode.OK;
    }
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

  private static Listing listing(Path file, StorageConf conf) {
    List<Map<String, Object>> keyspaces = new ArrayList<>();
    for (KeyspaceDefinition keyspace : conf.keyspaces()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", keyspace.name());
      fields.put("families", keyspace.families().size());
      keyspaces.add(fields);
    }
    List<Map<String, Object>> ignored = new ArrayList<>();
    for (StorageConf.IgnoredElement element : conf.ignored()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("line", element.line());
      fields.put("name", element.name());
      fields.put("reason", element.reason());
      ignored.add(fields);
    }
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("file", file.toString());
    item.put("keyspaces", keyspaces);
    item.put("without_effect", ignored);
    return new Listing("storage_conf", "files", List.of(), List.of(), List.of(item), "");
  }

  /** What a file has, within what a configuration can have. */
  static byte[] content(Path file) throws CommandException {
    try {
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw CommandException.misconfigured(
            file
                + " is larger than "
                + FILE_BYTES_MAX
                + " bytes, too many for a configuration file",
            new IOException("too large"));
      }
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw CommandException.misconfigured("there is no file " + file, e);
    } catch (IOException e) {
      throw CommandException.failed("cannot read " + file + ": " + e, e);
    }
  }

  /** Reads a file of Cassandra 0.5 or 0.6. */
  static StorageConf parse(Path file, byte[] content) throws CommandException {
    try {
      return StorageConf.parse(
          file.toString(), content, NodeSettings.DEFAULT, ComparatorResolver.builtIns());
    } catch (StorageConfException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
  }
}
