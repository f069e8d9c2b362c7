package dev.colonnade.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue between those who log and standard error. That may be a file on a disk that does not
 * answer, or a pipe that nobody reads: a node's threads must not wait for it, least of all the one
 * that tells of the disk. Lines that find the queue full are lost. Thread-safe.
 */
public final class LogQueue {

  /** What {@code logback.xml} asks for, and what it then is. */
  private static final String VARIABLE = "COLONNADE_LOG_APPENDER";

  private static final String NAME = "queue";

  private LogQueue() {}

  /**
   * Has all of this process log through the queue. Must come before the first logger is made, and
   * {@link #drain} before the process ends.
   */
  public static void use() {
    System.setProperty(VARIABLE, NAME);
  }

  /**
   * Waits until all lines have been written, a second at most. Lines that come later are lost. Does
   * nothing without a queue.
   */
  public static void drain() {
    ILoggerFactory loggers = LoggerFactory.getILoggerFactory();
    if (loggers.getLogger(Logger.ROOT_LOGGER_NAME) instanceof ch.qos.logback.classic.Logger root) {
      Appender<ILoggingEvent> queue = root.getAppender(NAME);
      if (queue != null) {
        queue.stop();
      }
    }
  }
}
