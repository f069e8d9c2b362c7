package dev.colonnade.server.sim;

/** A file operation that ended with an error of the program because a test asked for it. */
public final class InjectedError extends Error {
  private static final long serialVersionUID = 1L;

  InjectedError(FileOperation operation, String path) {
    super(path + ": an error that was asked for (" + operation + ")");
  }
}
