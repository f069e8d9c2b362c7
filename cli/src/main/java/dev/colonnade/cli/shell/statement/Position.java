package dev.colonnade.cli.shell.statement;

/**
 * A place in the text of a script or a line.
 *
 * @param line from 1
 * @param column from 1, in UTF-16 units
 */
public record Position(int line, int column) {

  @Override
  public String toString() {
    return "line " + line + ", column " + column;
  }
}
