package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.WorkMeter;
import java.io.IOException;

/**
 * A read needs more work than the calling thread can spare, which has other requests to serve; the
 * read is to be repeated on the read stage. Always the same instance, without a stack.
 */
final class OffloadReadException extends IOException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("StaticAssignmentOfThrowable")
  private static final OffloadReadException INSTANCE = new OffloadReadException();

  private OffloadReadException() {
    super("the read takes too long for the caller's thread; repeat it on the read stage");
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  /** Returns a meter that ends work after this many units. */
  static WorkMeter after(int units) {
    return new WorkMeter() {
      private int left = units;

      @Override
      public void spend(int spent) throws IOException {
        left -= spent;
        if (left < 0) {
          throw INSTANCE;
        }
      }
    };
  }
}
