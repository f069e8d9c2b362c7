package dev.colonnade.server.base.codec;

import java.io.IOException;

/** A file that this program must not read, for one of exactly three reasons. */
public abstract sealed class UnreadableFileException extends IOException
    permits CorruptFileException, FormatTooOldException, FormatTooNewException {
  private static final long serialVersionUID = 1L;

  private final String path;

  UnreadableFileException(String path, String message) {
    super(message);
    this.path = path;
  }

  /** The file, as a person would look for it. */
  public final String path() {
    return path;
  }
}
