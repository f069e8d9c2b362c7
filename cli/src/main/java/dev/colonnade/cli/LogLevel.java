package dev.colonnade.cli;

import java.util.logging.Level;
import java.util.logging.Logger;

/** How much a command logs to standard error. */
public final class LogLevel {

  /** What {@code logback.xml} asks for: a system property, or else an environment variable. */
  private static final String VARIABLE = "COLONNADE_LOG_LEVEL";

  /**
   * gRPC bypasses {@code logback.xml}, and logs each connection that does not speak HTTP/2 with a
   * stack trace of twenty lines, so that a port scan fills the log. The logger is kept in a field
   * because an unreferenced one is collected and forgets its level.
   */
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private LogLevel() {}

  /** Libraries that log with {@code java.util.logging} log only their own problems. */
  static void quietLibraries() {
    GRPC.setLevel(Level.WARNING);
  }

  /**
   * Sets the level for this process unless the user has set one. Must come before the first logger
   * is made.
   */
  public static void unlessSet(String level) {
    if (System.getProperty(VARIABLE) == null && System.getenv(VARIABLE) == null) {
      System.setProperty(VARIABLE, level);
    }
  }
}
