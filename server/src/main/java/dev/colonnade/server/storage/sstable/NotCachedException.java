package dev.colonnade.server.storage.sstable;

import java.io.IOException;

/**
 * A read that may not block needs a block that is not in memory. This is no error: repeat the read
 * where it may block. There is one instance, without a stack trace, since this is an ordinary
 * outcome of a hot path.
 */
public final class NotCachedException extends IOException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final NotCachedException INSTANCE = new NotCachedException();

  private NotCachedException() {
    super("the read needs a block that is not in memory; repeat it where it may block");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
