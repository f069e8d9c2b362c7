package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.LogLevels;
import java.util.ServiceLoader;

/** Finds what changes the logging of this process. */
public final class ProcessLogLevels {

  private ProcessLogLevels() {}

  /** The service that the program has on its class path, or else one that changes nothing. */
  public static LogLevels find() {
    return ServiceLoader.load(LogLevels.class, LogLevels.class.getClassLoader())
        .findFirst()
        .orElse(LogLevels.FIXED);
  }
}
