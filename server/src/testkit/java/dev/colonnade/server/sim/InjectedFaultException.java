package dev.colonnade.server.sim;

import java.io.IOException;

/** A file operation that failed because a test asked for it. */
public final class InjectedFaultException extends IOException {
  private static final long serialVersionUID = 1L;

  InjectedFaultException(FileFault fault, FileOperation operation, String path) {
    super(path + ": " + text(fault) + " (" + operation + ")");
  }

  private static String text(FileFault fault) {
    return switch (fault) {
      case READ_ONLY -> "Read-only file system";
      case NO_DESCRIPTORS -> "Too many open files";
      default -> "Input/output error";
    };
  }
}
