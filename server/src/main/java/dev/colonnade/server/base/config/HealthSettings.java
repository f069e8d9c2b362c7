package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * When a node considers itself unhealthy.
 *
 * @param stallLimit work without progress for longer is stalled: a stage, an event loop, the write
 *     pipeline; work that waits for its turn between its steps has thirty times as long
 */
public record HealthSettings(Duration stallLimit) {

  /**
   * As long as a client waits for an answer by default. A disk that is slow under load takes a
   * second or two, a pause of the Java machine less.
   */
  public static final HealthSettings DEFAULT = new HealthSettings(Duration.ofSeconds(10));

  private static final long MAX_LIMIT_SECONDS = 86_400;

  /** Checks the bounds. */
  public HealthSettings {
    SettingChecks.range("stallLimit in seconds", stallLimit.toSeconds(), 1, MAX_LIMIT_SECONDS);
  }
}
