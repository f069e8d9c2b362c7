package dev.colonnade.server.base.model;

/**
 * A name is not valid for the type of its level. The message is for the caller: rule first, then
 * what was found.
 */
public final class InvalidNameException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says which rule the name breaks. */
  public InvalidNameException(String message) {
    super(message);
  }
}
