package dev.colonnade.cli;

/** How much a command logs to standard error. */
public final class LogLevel {

  /** What {@code logback.xml} asks for: a system property, or else an environment variable. */
  private static final String VARIABLE = "COLONNADE_LOG_LEVEL";

  private LogLevel() {}

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
