package dev.colonnade.server.engine;

import java.io.IOException;

/**
 * What is asked for may have been in a damaged file that is in quarantine, so that any answer could
 * be wrong.
 */
public final class MissingDataException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String path;
  private final long offset;

  MissingDataException(String path, long offset) {
    super(
        "the data file "
            + path
            + " is damaged at byte "
            + offset
            + " and in quarantine, and may hold what was asked for; an operator restores the file"
            + " or accepts the loss");
    this.path = path;
    this.offset = offset;
  }

  /** Where the damaged file lies, or will lie once it was moved. */
  public String path() {
    return path;
  }

  /** Where in it the damage is, in bytes from its start. */
  public long offset() {
    return offset;
  }
}
