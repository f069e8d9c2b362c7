package dev.colonnade.cli.local;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import dev.colonnade.server.base.env.LogLevels;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/** Logback's levels of this process, which nodes in it change on request. Thread-safe. */
public final class LogbackLevels implements LogLevels {

  /** For {@link java.util.ServiceLoader}. */
  public LogbackLevels() {}

  @Override
  public Map<String, Level> levels() {
    Map<String, Level> levels = new LinkedHashMap<>();
    context()
        .ifPresent(
            context -> {
              for (Logger logger : context.getLoggerList()) { // ROOT comes first, then by name.
                ch.qos.logback.classic.Level level = logger.getLevel();
                if (level != null) {
                  levels.put(logger.getName(), of(level));
                }
              }
            });
    return levels;
  }

  @Override
  public void set(String logger, Optional<Level> level) {
    context()
        .orElseThrow(() -> new IllegalArgumentException("the process does not log through logback"))
        .getLogger(logger)
        .setLevel(
            level.map(each -> ch.qos.logback.classic.Level.toLevel(each.name())).orElse(null));
  }

  private static Optional<LoggerContext> context() {
    return LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        ? Optional.of(context)
        : Optional.empty();
  }

  private static Level of(ch.qos.logback.classic.Level level) {
    return switch (level.toInt()) {
      case ch.qos.logback.classic.Level.OFF_INT -> Level.OFF;
      case ch.qos.logback.classic.Level.ERROR_INT -> Level.ERROR;
      case ch.qos.logback.classic.Level.WARN_INT -> Level.WARN;
      case ch.qos.logback.classic.Level.INFO_INT -> Level.INFO;
      case ch.qos.logback.classic.Level.DEBUG_INT -> Level.DEBUG;
      default -> Level.TRACE;
    };
  }
}
