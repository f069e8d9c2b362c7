package dev.colonnade.cli;

import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
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

  private static final Logger NETTY = Logger.getLogger("io.grpc.netty.shaded");

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
    if (!isSet()) {
      System.setProperty(VARIABLE, level);
    }
  }

  /**
   * For a process that is only a client: logs errors, and those without logback, whose start takes
   * longer than a call, unless the user has set a level. Must come before the first connection.
   */
  public static void forClient() {
    if (!isSet()) {
      System.setProperty(VARIABLE, "ERROR");
      NETTY.setLevel(Level.SEVERE);
      InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }
  }

  private static boolean isSet() {
    return System.getProperty(VARIABLE) != null || System.getenv(VARIABLE) != null;
  }
}
