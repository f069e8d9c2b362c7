package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.ListLogLevelsResponse;
import dev.colonnade.admin.v1.LogLevel;
import dev.colonnade.admin.v1.LoggerLevel;
import dev.colonnade.admin.v1.SetLogLevelRequest;
import dev.colonnade.admin.v1.SetLogLevelResponse;
import dev.colonnade.server.base.env.LogLevels;
import java.util.Optional;
import java.util.regex.Pattern;

/** How much the node logs, as messages. Thread-safe. */
final class LogCalls {

  /** Loggers are never forgotten by the libraries that make them, so their names are bounded. */
  private static final Pattern NAME = Pattern.compile("[\\w.$-]{1,200}");

  /** How many loggers may have levels of their own. */
  private static final int LOGGERS_MAX = 100;

  private final LogLevels levels;

  LogCalls(LogLevels levels) {
    this.levels = levels;
  }

  ListLogLevelsResponse list() {
    ListLogLevelsResponse.Builder response = ListLogLevelsResponse.newBuilder();
    levels
        .levels()
        .forEach(
            (logger, level) ->
                response.addLoggers(
                    LoggerLevel.newBuilder().setLogger(logger).setLevel(message(level))));
    return response.build();
  }

  SetLogLevelResponse set(SetLogLevelRequest request) {
    String logger = request.getLogger();
    if (!NAME.matcher(logger).matches()) {
      throw RequestRefusal.invalid(
          "logger",
          "a logger is named ROOT, or as a package or a class: letters, digits, points, dashes, _"
              + " and $, 1 to 200");
    }
    if (request.getLevel() == LogLevel.UNRECOGNIZED) {
      throw RequestRefusal.invalid("level", "there is no level " + request.getLevelValue());
    }
    Optional<LogLevels.Level> level = level(request.getLevel());
    if (level.isEmpty() && logger.equals(LogLevels.ROOT)) {
      throw RequestRefusal.invalid("level", "ROOT has no logger above it: give it a level");
    }
    if (level.isPresent()
        && !levels.levels().containsKey(logger)
        && levels.levels().size() >= LOGGERS_MAX) {
      throw RequestRefusal.invalid(
          "logger",
          LOGGERS_MAX
              + " loggers have levels of their own, which is the most: let some follow the logger"
              + " above them first");
    }
    try {
      levels.set(logger, level);
    } catch (IllegalArgumentException e) {
      throw RequestRefusal.invalid("logger", String.valueOf(e.getMessage()));
    }
    return SetLogLevelResponse.getDefaultInstance();
  }

  private static LogLevel message(LogLevels.Level level) {
    return switch (level) {
      case OFF -> LogLevel.LOG_LEVEL_OFF;
      case ERROR -> LogLevel.LOG_LEVEL_ERROR;
      case WARN -> LogLevel.LOG_LEVEL_WARN;
      case INFO -> LogLevel.LOG_LEVEL_INFO;
      case DEBUG -> LogLevel.LOG_LEVEL_DEBUG;
      case TRACE -> LogLevel.LOG_LEVEL_TRACE;
    };
  }

  private static Optional<LogLevels.Level> level(LogLevel level) {
    return switch (level) {
      case LOG_LEVEL_OFF -> Optional.of(LogLevels.Level.OFF);
      case LOG_LEVEL_ERROR -> Optional.of(LogLevels.Level.ERROR);
      case LOG_LEVEL_WARN -> Optional.of(LogLevels.Level.WARN);
      case LOG_LEVEL_INFO -> Optional.of(LogLevels.Level.INFO);
      case LOG_LEVEL_DEBUG -> Optional.of(LogLevels.Level.DEBUG);
      case LOG_LEVEL_TRACE -> Optional.of(LogLevels.Level.TRACE);
      case LOG_LEVEL_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }
}
