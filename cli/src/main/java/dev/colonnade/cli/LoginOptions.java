package dev.colonnade.cli;

import dev.colonnade.cli.shell.run.PasswordFile;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.PasswordSource;
import java.io.Console;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * The options of everything that calls a node: who calls. The variables of the environment are
 * those of the Java client, so that one setup serves both. A password is no option: others on the
 * machine could read it in the list of processes.
 */
public final class LoginOptions {

  /** Nothing listens there, and nothing is sent. */
  private static final String NOWHERE = "127.0.0.1:1";

  private static final String PASSWORD = "COLONNADE_CLIENT_PASSWORD";

  @Option(
      names = "--user",
      paramLabel = "NAME",
      defaultValue = "${env:COLONNADE_CLIENT_USER:-}",
      description =
          "The user to call as, where nodes ask who calls (default: $COLONNADE_CLIENT_USER)."
              + " Without a password in a file or in $COLONNADE_CLIENT_PASSWORD, it is asked for at"
              + " a terminal.")
  private String user = "";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      defaultValue = "${env:COLONNADE_CLIENT_PASSWORD_FILE:-}",
      description =
          "A file with that user's password, which other users cannot read (default:"
              + " $COLONNADE_CLIENT_PASSWORD_FILE).")
  private String file = "";

  /** For picocli. */
  public LoginOptions() {}

  /**
   * Returns the options of a client that calls as the user, if there is one.
   *
   * @param console asks for a password; empty if there is nobody to ask
   * @throws CommandException if there is no password, or its file cannot be used
   */
  public ClientOptions apply(ClientOptions options, Optional<Console> console)
      throws CommandException {
    return apply(options, console, System.getenv());
  }

  ClientOptions apply(
      ClientOptions options, Optional<Console> console, Map<String, String> environment)
      throws CommandException {
    String name = user.isEmpty() ? options.user().orElse("") : user;
    if (name.isEmpty()) {
      if (!file.isEmpty()) {
        throw misconfigured("--password-file needs --user: whose password is it?");
      }
      return options;
    }
    ClientOptions withUser = options.withUser(name, password(name, options, console, environment));
    try {
      Colonnade.connect(NOWHERE, withUser).close();
    } catch (IllegalArgumentException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    }
    return withUser;
  }

  private PasswordSource password(
      String name,
      ClientOptions options,
      Optional<Console> console,
      Map<String, String> environment)
      throws CommandException {
    if (!file.isEmpty()) {
      return ofFile();
    }
    String given = environment.getOrDefault(PASSWORD, "");
    if (!given.isEmpty()) {
      return PasswordSource.fixed(given);
    }
    // A file of settings may have a password of its own user.
    if (options.password().isPresent() && options.user().orElse("").equals(name)) {
      return options.password().get();
    }
    if (console.isEmpty()) {
      throw misconfigured(
          "user "
              + name
              + " has no password: give --password-file FILE, or set "
              + PASSWORD
              + "; at a terminal it is asked for");
    }
    char[] typed = console.get().readPassword("Password for %s: ", name);
    if (typed == null || typed.length == 0) {
      throw misconfigured("no password was typed for user " + name);
    }
    return PasswordSource.fixed(new String(typed));
  }

  private PasswordSource ofFile() throws CommandException {
    try {
      return PasswordSource.fixed(PasswordFile.read(Path.of(file)));
    } catch (IOException | InvalidPathException e) {
      throw CommandException.misconfigured(
          "the password cannot be read: " + String.valueOf(e.getMessage()), e);
    }
  }

  private static CommandException misconfigured(String message) {
    return CommandException.misconfigured(message, new IllegalArgumentException(message));
  }
}
