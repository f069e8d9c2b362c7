package dev.colonnade.cli;

import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Tls;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/**
 * The options of everything that calls a node: whether and how its connections are encrypted. The
 * variables of the environment are those of the Java client, so that one setup serves both.
 */
public final class TlsOptions {

  /** Nothing listens there, and nothing is sent. */
  private static final String NOWHERE = "127.0.0.1:1";

  @Option(
      names = "--client-settings",
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_CLIENT_SETTINGS:-}",
      description =
          "A properties file of the Java client, such as tls_trusted=ca.pem; the options here count"
              + " more (default: $COLONNADE_CLIENT_SETTINGS).")
  private String settings = "";

  @Option(
      names = "--tls",
      defaultValue = "${env:COLONNADE_CLIENT_TLS:-false}",
      description =
          "Encrypt the connection (default: $COLONNADE_CLIENT_TLS). The following options switch"
              + " this on, too.")
  private boolean wanted;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_CLIENT_TLS_TRUSTED:-}",
      description =
          "The authorities whose certificates nodes may have, in PEM (default:"
              + " $COLONNADE_CLIENT_TLS_TRUSTED, or those of the Java platform).")
  private String authorities = "";

  @Option(
      names = "--cert",
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_CLIENT_TLS_CERTIFICATES:-}",
      description =
          "Your own certificate, in PEM, where nodes want one (default:"
              + " $COLONNADE_CLIENT_TLS_CERTIFICATES).")
  private String certificate = "";

  @Option(
      names = "--key",
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_CLIENT_TLS_PRIVATE_KEY:-}",
      description =
          "The private key of that certificate, in PEM (default:"
              + " $COLONNADE_CLIENT_TLS_PRIVATE_KEY).")
  private String key = "";

  @Option(
      names = "--tls-name",
      paramLabel = "NAME",
      defaultValue = "${env:COLONNADE_CLIENT_TLS_SERVER_NAME:-}",
      description =
          "The name in the nodes' certificates, where it is not that of --host (default:"
              + " $COLONNADE_CLIENT_TLS_SERVER_NAME).")
  private String name = "";

  /** For picocli. */
  public TlsOptions() {}

  /**
   * Returns the options of a client with encryption, if that is wanted.
   *
   * @throws CommandException if a file is missing or cannot be used
   */
  public ClientOptions apply(ClientOptions options) throws CommandException {
    ClientOptions base = settings.isEmpty() ? options : read(options);
    if (base.tls().isPresent()) {
      checkFiles(base);
    }
    if (!wanted
        && authorities.isEmpty()
        && certificate.isEmpty()
        && key.isEmpty()
        && name.isEmpty()) {
      return base;
    }
    if (certificate.isEmpty() != key.isEmpty()) {
      throw CommandException.misconfigured(
          "--cert and --key are used together, and one of them is missing",
          new IllegalArgumentException("one of two files"));
    }
    Tls tls = base.tls().orElse(Tls.system());
    tls = authorities.isEmpty() ? tls : tls.withTrusted(Path.of(authorities));
    tls = key.isEmpty() ? tls : tls.withIdentity(Path.of(certificate), Path.of(key));
    tls = name.isEmpty() ? tls : tls.withServerName(name);
    ClientOptions encrypted = base.withTls(tls);
    checkFiles(encrypted);
    return encrypted;
  }

  /** Takes the settings of a file, except how long a call may take, which has an option. */
  private ClientOptions read(ClientOptions options) throws CommandException {
    try {
      return Colonnade.builder()
          .options(before -> options)
          .properties(Path.of(settings))
          .options(after -> after.withCalls(options.calls()))
          .options();
    } catch (UncheckedIOException | IllegalArgumentException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
  }

  /** The client reads the files when it is made, before it calls a node. */
  private static void checkFiles(ClientOptions options) throws CommandException {
    try {
      // Whose password is missing, LoginOptions says: it may ask for it.
      Colonnade.connect(NOWHERE, options.withoutUser()).close();
    } catch (UncheckedIOException | IllegalArgumentException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
  }
}
