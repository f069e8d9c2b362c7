package dev.colonnade.cli;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue between loggers and standard error. Standard error may be a file on a disk that hangs, or
 * a pipe without a reader: a node's threads must not wait for it, least of all the one that reports
 * the disk. Lines that find the queue full are lost. Thread-safe.
 */
public final class LogQueue {

  private static final String NAME = "queue";

  /** The appender of {@code logback.xml}. */
  private static final String CONSOLE = "console";

  private static final int LINES_MAX = 4_096;
  private static final int DRAIN_MILLIS = 1_000;

  private static boolean used;

  private LogQueue() {}

  /**
   * Makes the whole process log through the queue from now on; {@link #drain} must come before the
   * process ends. Does nothing where another configuration of logback has no appender of that name.
   *
   * @param format how its lines look
   */
  public static synchronized void use(LogFormat format) {
    if (LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)
        instanceof ch.qos.logback.classic.Logger root) {
      Appender<ILoggingEvent> console = root.getAppender(CONSOLE);
      if (console == null) {
        return;
      }
      format.applyTo(console);
      AsyncAppender queue = new AsyncAppender();
      queue.setName(NAME);
      queue.setContext(root.getLoggerContext());
      queue.setQueueSize(LINES_MAX);
      queue.setDiscardingThreshold(0);
      queue.setNeverBlock(true);
      queue.setMaxFlushTime(DRAIN_MILLIS);
      queue.addAppender(console);
      queue.start();
      root.detachAppender(console);
      root.addAppender(queue);
      used = true;
    }
  }

  /**
   * Waits until all lines have been written, a second at most. Lines that come later are lost. Does
   * nothing without a queue.
   */
  public static synchronized void drain() {
    if (!used) {
      // To look for a queue would start logback, which takes longer than a client's whole call.
      return;
    }
    if (LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)
        instanceof ch.qos.logback.classic.Logger root) {
      Appender<ILoggingEvent> queue = root.getAppender(NAME);
      if (queue != null) {
        queue.stop();
      }
    }
  }
}
