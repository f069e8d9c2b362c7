package dev.colonnade.server.base.config;

/** A configuration file cannot be used. The message begins with file, line and column. */
public final class StorageConfException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;
  private final String reason;

  StorageConfException(String file, int line, int column, String reason) {
    super(file + ":" + line + ":" + column + ": " + reason);
    this.line = line;
    this.column = column;
    this.reason = reason;
  }

  /** Counted from 1. */
  public int line() {
    return line;
  }

  /** Counted from 1. */
  public int column() {
    return column;
  }

  /** What is wrong and what to do, without the place. */
  public String reason() {
    return reason;
  }
}
