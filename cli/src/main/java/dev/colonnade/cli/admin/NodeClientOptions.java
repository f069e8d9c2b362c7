package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LoginOptions;
import dev.colonnade.cli.TlsOptions;
import dev.colonnade.cli.shell.Consoles;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Which running node a command is about, and how it is reached. */
final class NodeClientOptions {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "${env:COLONNADE_HOST:-127.0.0.1}",
      description = "The node's address for clients (default: $COLONNADE_HOST, or 127.0.0.1).")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "${env:COLONNADE_PORT:-9160}",
      description = "The node's port for clients (default: $COLONNADE_PORT, or 9160).")
  private int port;

  @Mixin private TlsOptions tls = new TlsOptions();

  @Mixin private LoginOptions login = new LoginOptions();

  /** The node, as {@code host:port}. */
  String address(CommandLine command) {
    if (port < 1 || port > 65_535) {
      throw new ParameterException(command, "--port must be 1 to 65535, not " + port);
    }
    return host + ":" + port;
  }

  /** How it is reached. */
  ClientOptions client() throws CommandException {
    return login.apply(
        tls.apply(
            ClientOptions.defaults().withCalls(CallOptions.defaults().withDeadline(DEADLINE))),
        Consoles.console());
  }
}
