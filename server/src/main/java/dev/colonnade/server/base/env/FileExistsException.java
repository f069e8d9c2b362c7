package dev.colonnade.server.base.env;

import java.io.IOException;

/** A file could not be created because the name is taken. */
public final class FileExistsException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Names the file in the way that a person would look for it. */
  public FileExistsException(String path) {
    super(path + " exists already");
  }
}
