package dev.colonnade.client;

/** How much a logger of a node logs; each level includes those before it. */
public enum LogLevel {
  /** Nothing. */
  OFF,
  /** Failures that somebody has to look at. */
  ERROR,
  /** That, and what may become one. */
  WARN,
  /** That, and what the node does. */
  INFO,
  /** That, and how it does it. */
  DEBUG,
  /** All. */
  TRACE;

  dev.colonnade.admin.v1.LogLevel message() {
    return switch (this) {
      case OFF -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_OFF;
      case ERROR -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_ERROR;
      case WARN -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_WARN;
      case INFO -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_INFO;
      case DEBUG -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_DEBUG;
      case TRACE -> dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_TRACE;
    };
  }

  /** What a node said; a level of a newer node counts as all. */
  static LogLevel of(dev.colonnade.admin.v1.LogLevel message) {
    return switch (message) {
      case LOG_LEVEL_OFF -> OFF;
      case LOG_LEVEL_ERROR -> ERROR;
      case LOG_LEVEL_WARN -> WARN;
      case LOG_LEVEL_INFO -> INFO;
      case LOG_LEVEL_DEBUG -> DEBUG;
      case LOG_LEVEL_TRACE, LOG_LEVEL_UNSPECIFIED, UNRECOGNIZED -> TRACE;
    };
  }
}
