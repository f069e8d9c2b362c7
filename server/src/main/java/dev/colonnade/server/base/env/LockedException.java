package dev.colonnade.server.base.env;

import java.io.IOException;

/** Another holder has the lock. */
public final class LockedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Names the lock file in the way that a person would look for it. */
  public LockedException(String path) {
    super(path + " is locked by another process");
  }
}
