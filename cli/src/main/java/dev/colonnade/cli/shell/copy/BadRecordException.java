package dev.colonnade.cli.shell.copy;

/** A record that is not what it should be. Reading can go on after it. */
public final class BadRecordException extends Exception {

  private static final long serialVersionUID = 1L;

  BadRecordException(String message) {
    super(message);
  }

  BadRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
