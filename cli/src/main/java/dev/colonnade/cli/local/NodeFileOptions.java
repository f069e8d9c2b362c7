package dev.colonnade.cli.local;

import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a node that are no settings: where its data is, and its configuration file. */
final class NodeFileOptions {

  @Option(
      names = "--data",
      order = -2_000,
      paramLabel = "DIR",
      defaultValue = "${env:COLONNADE_SERVER_DATA:-data}",
      description =
          "Where data and commit log are kept; created when missing (default: ./data). Only one"
              + " node at a time can use it. Also $COLONNADE_SERVER_DATA.")
  private Path data = Path.of("data");

  @Option(
      names = "--storage-conf",
      order = -1_999,
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_SERVER_STORAGE_CONF:-}",
      description =
          "A storage-conf.xml of Cassandra 0.6, or a part of one: settings, and keyspaces that are"
              + " created unless they exist. Variables of the environment take precedence over the"
              + " file, and options given here over both. Also"
              + " $COLONNADE_SERVER_STORAGE_CONF.")
  private @Nullable String storageConf;

  /** For picocli. */
  NodeFileOptions() {}

  /**
   * What the command line says, over the environment.
   *
   * @param spec of the command, which has the options of all settings
   */
  NodeOptions options(CommandLine.Model.CommandSpec spec, Map<String, String> environment) {
    NodeOptions options =
        NodeOptions.defaults().withDataDirectory(data.toAbsolutePath().normalize());
    if (storageConf != null && !storageConf.isEmpty()) {
      options = options.withStorageConf(Path.of(storageConf));
    }
    try {
      return SettingOptions.given(
          spec.commandLine().getParseResult(), options.withEnvironment(environment));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }
}
