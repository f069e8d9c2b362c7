package dev.colonnade.server.storage.commitlog;

import java.io.IOException;

/**
 * The log could not take these records, and holds nothing of them: it is unchanged, and the append
 * can be tried again. The cause says why; a {@link dev.colonnade.server.base.env.NoSpaceException}
 * that the disk is full.
 */
public final class LogRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  LogRefusedException(IOException cause) {
    super(
        "the commit log could not accept the write, and kept no part of it: " + cause.getMessage(),
        cause);
  }
}
