package dev.colonnade.server.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Collects what a logger writes at INFO or above, until it is closed. */
public final class LogLines implements AutoCloseable {

  private final Logger logger;
  private final @Nullable Level before;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  private LogLines(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
    logger.setLevel(Level.INFO);
    appender.start();
    logger.addAppender(appender);
  }

  /** Collects the lines of the logger of that name. */
  public static LogLines of(String name) {
    return new LogLines((Logger) LoggerFactory.getLogger(name));
  }

  /** Collects the lines of a class. */
  public static LogLines of(Class<?> source) {
    return of(source.getName());
  }

  /** The lines so far. */
  public List<String> all() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setLevel(before);
  }
}
