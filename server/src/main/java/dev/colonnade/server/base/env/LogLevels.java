package dev.colonnade.server.base.env;

import java.util.Map;
import java.util.Optional;

/**
 * How much the process logs, by logger. The program that holds the node provides it, because the
 * logging is the program's: the node only knows loggers. Thread-safe.
 */
public interface LogLevels {

  /** The name of the logger above all others. */
  String ROOT = "ROOT";

  /** A level; each includes those before it. */
  enum Level {
    OFF,
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
  }

  /** The loggers with levels of their own, by name, {@link #ROOT} first; none if unknown. */
  Map<String, Level> levels();

  /**
   * Changes a level until the process ends.
   *
   * @param level empty makes the logger follow the one above it
   * @throws IllegalArgumentException if that cannot be, with a sentence for the caller
   */
  void set(String logger, Optional<Level> level);

  /** Of a program that does not let its logging be changed. */
  LogLevels FIXED =
      new LogLevels() {
        @Override
        public Map<String, Level> levels() {
          return Map.of();
        }

        @Override
        public void set(String logger, Optional<Level> level) {
          throw new IllegalArgumentException(
              "the program that holds this node does not let its logging be changed");
        }
      };
}
