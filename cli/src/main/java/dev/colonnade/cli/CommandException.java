package dev.colonnade.cli;

/** A command cannot do what it was asked to. The message is one line for the person who asked. */
public final class CommandException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int exitStatus;

  private CommandException(int exitStatus, String message, Throwable cause) {
    super(message, cause);
    this.exitStatus = exitStatus;
  }

  /** The request or a configuration file is at fault: status 2. */
  public static CommandException misconfigured(String message, Throwable cause) {
    return new CommandException(2, message, cause);
  }

  /** The environment is at fault: status 1. */
  public static CommandException failed(String message, Throwable cause) {
    return new CommandException(1, message, cause);
  }

  int exitStatus() {
    return exitStatus;
  }
}
