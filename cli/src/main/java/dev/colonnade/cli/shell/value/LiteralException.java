package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Position;

/** A literal is not a value of the type at its place. The message says what the type takes. */
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
