package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Position;

/** A literal stands where its type has no such value. The message tells what the type wants. */
public final class LiteralException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Position position;

  LiteralException(Position position, String message) {
    super(message);
    this.position = position;
  }

  /** Where the literal begins. */
  public Position position() {
    return position;
  }
}
