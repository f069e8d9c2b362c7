package dev.colonnade.cli.local.restore;

/** A restore cannot begin or go on; the message says why and what to do. */
public final class RestoreException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Says why in a sentence. */
  public RestoreException(String message) {
    super(message);
  }
}
