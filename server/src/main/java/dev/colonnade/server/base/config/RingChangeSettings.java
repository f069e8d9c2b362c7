package dev.colonnade.server.base.config;

import java.time.Duration;

/**
 * The pace of ring changes.
 *
 * @param ringDelay how long a change waits until all nodes can be expected to act on an
 *     announcement by gossip
 */
public record RingChangeSettings(Duration ringDelay) {

  /**
   * Gossip reaches a thousand nodes in some ten rounds of a second; three nodes of one machine need
   * a second or two.
   */
  public static final RingChangeSettings DEFAULT = new RingChangeSettings(Duration.ofSeconds(10));

  private static final long MAX_DELAY_SECONDS = 600;

  /** Checks the bounds. */
  public RingChangeSettings {
    SettingChecks.range("ringDelay in seconds", ringDelay.toSeconds(), 1, MAX_DELAY_SECONDS);
  }
}
