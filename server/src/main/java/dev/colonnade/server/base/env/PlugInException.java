package dev.colonnade.server.base.env;

/** A class that a user named cannot be used. The message is for the user. */
public final class PlugInException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says which class, what is wrong with it, and what to do. */
  public PlugInException(String message) {
    super(message);
  }

  /** The same, with what the class loader or the class itself threw. */
  public PlugInException(String message, Throwable cause) {
    super(message, cause);
  }
}
