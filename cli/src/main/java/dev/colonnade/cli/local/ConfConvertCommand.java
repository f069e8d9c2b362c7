package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.local.convert.CassandraYaml;
import dev.colonnade.cli.local.convert.SchemaOf;
import dev.colonnade.server.base.config.StorageConf;
import dev.colonnade.server.base.config.StorageConf.IgnoredElement;
import dev.colonnade.server.base.config.StorageConfWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Makes a configuration for this store of one for Cassandra. */
@Command(
    name = "convert",
    description = {
      "Reads a storage-conf.xml of Cassandra 0.5 or 0.6, or a cassandra.yaml of 0.7 or 0.8, and"
          + " writes the settings that have an effect here as a file for `server --storage-conf`."
          + " What has none is listed in comments, with its line and the reason. The file's"
          + " keyspaces become statements for `colonnade shell -f`. Files that exist are not"
          + " overwritten. The status is 2 if the file cannot be used.",
      ""
    },
    footer = {
      "",
      "For example:",
      "  colonnade conf convert cassandra.yaml --to storage-conf.xml --schema schema.txt"
    })
public final class ConfConvertCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The file to read.")
  private @Nullable Path file;

  @Option(
      names = "--to",
      paramLabel = "FILE",
      description = "Where the settings go (default: standard output).")
  private @Nullable Path to;

  @Option(
      names = "--schema",
      paramLabel = "FILE",
      description = "Where the statements go that create the file's keyspaces.")
  private @Nullable Path schema;

  /** For picocli. */
  public ConfConvertCommand() {}

  @Override
  public Integer call() throws CommandException {
    Path from = file;
    if (from == null) {
      throw new ParameterException(spec.commandLine(), "name the file to read");
    }
    StorageConf conf = read(from);
    PrintWriter err = spec.commandLine().getErr();
    List<String> remarks = remarks(from, conf);
    String settings = StorageConfWriter.write(conf, remarks);
    Path statements = schema;
    if (statements != null) {
      if (conf.keyspaces().isEmpty()) {
        err.println(from + " defines no keyspace: " + statements + " is not written");
      } else {
        write(statements, SchemaOf.script(conf.keyspaces()));
      }
    } else if (!conf.keyspaces().isEmpty()) {
      err.println(
          from
              + " defines "
              + (conf.keyspaces().size() == 1
                  ? "a keyspace"
                  : conf.keyspaces().size() + " keyspaces")
              + ": name a file for the statements that create them with --schema");
    }
    Path target = to;
    if (target == null) {
      spec.commandLine().getOut().print(settings);
      spec.commandLine().getOut().flush();
    } else {
      write(target, settings);
    }
    err.flush();
    return CommandLine.ExitCode.OK;
  }

  private static StorageConf read(Path from) throws CommandException {
    byte[] content = ConfCommand.content(from);
    for (byte each : content) {
      // XML begins with a bracket, and YAML never does.
      if (each == '<') {
        return ConfCommand.parse(from, content);
      }
      boolean isMark = each == (byte) 0xEF || each == (byte) 0xBB || each == (byte) 0xBF;
      if (each != ' ' && each != '\n' && each != '\r' && each != '\t' && !isMark) {
        break;
      }
    }
    return CassandraYaml.read(from.toString(), content);
  }

  private static List<String> remarks(Path from, StorageConf conf) {
    List<String> remarks = new ArrayList<>();
    remarks.add("Converted from " + from.getFileName());
    List<IgnoredElement> ignored = new ArrayList<>(conf.ignored());
    ignored.sort(Comparator.comparingInt(IgnoredElement::line));
    for (IgnoredElement each : ignored) {
      remarks.add("line " + each.line() + ": " + each.name() + " has no effect: " + each.reason());
    }
    return remarks;
  }

  private static void write(Path target, String text) throws CommandException {
    try {
      Files.writeString(
          target,
          text,
          StandardCharsets.UTF_8,
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw CommandException.misconfigured(
          target + " exists, and is not overwritten: name another file", e);
    } catch (IOException e) {
      throw CommandException.failed("cannot write " + target + ": " + e, e);
    }
  }
}
