package dev.colonnade.server.sim;

import java.io.IOException;

/** A file operation that failed because a test asked for it. */
public final class InjectedFaultException extends IOException {
  private static final long serialVersionUID = 1L;

  InjectedFaultException(long operation, String path) {
    super("file operation " + operation + " failed, on " + path);
  }
}
