package dev.colonnade.cli.shell.grammar;

import dev.colonnade.cli.shell.statement.Position;

/** The text is not a statement, or one that this store does not support. */
public final class SyntaxException extends Exception {

  private static final long serialVersionUID = 1L;

  private final transient Position position;
  private final String problem;
  private final String near;

  SyntaxException(Position position, String problem, String near) {
    super(position + ": " + problem);
    this.position = position;
    this.problem = problem;
    this.near = near;
  }

  /** Where it is wrong. */
  public Position position() {
    return position;
  }

  /** What was found and what would be right there, without the place. */
  public String problem() {
    return problem;
  }

  /** Two lines: the line of the script, or the part of it around the place, and a caret below. */
  public String near() {
    return near;
  }
}
