package dev.colonnade.server.base.health;

import java.util.Arrays;
import java.util.Locale;

/**
 * How much of its service a node withdraws because of a condition. Ascending: each withdraws what
 * the ones before it do, and more. Names are gossiped, in lower case with hyphens.
 */
public enum Impact {
  /** Nothing is wrong. */
  NONE,
  /** An operator should look; service is as usual, and peers use the node as before. */
  NOTICE,
  /** Clients are better served by another node; peers use this one as before. */
  NOT_READY,
  /** It may answer late or not at all: peers ask other replicas first. */
  UNFAVOURABLE,
  /** It refuses writes: peers exclude it from writes and keep hints for it; it is read last. */
  NO_WRITES,
  /** It refuses reads and writes: peers treat it for both as a replica that is down. */
  NOT_SERVING;

  /** Whether readiness probes succeed. */
  public boolean isReady() {
    return this.compareTo(NOT_READY) < 0;
  }

  /** Whether peers may prefer it by distance and latency alone. */
  public boolean isFavourable() {
    return this.compareTo(UNFAVOURABLE) < 0;
  }

  /** Whether it accepts writes as a replica. */
  public boolean takesWrites() {
    return this.compareTo(NO_WRITES) < 0;
  }

  /** Whether it answers reads as a replica. */
  public boolean takesReads() {
    return this.compareTo(NOT_SERVING) < 0;
  }

  /** The name that is gossiped. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Parses the impact from a node's gossiped health: a name, and the reasons after a colon. For a
   * name that this release does not know, returns an impact that only says that something is wrong.
   */
  public static Impact parse(String gossiped) {
    int end = gossiped.indexOf(':');
    String name = end < 0 ? gossiped : gossiped.substring(0, end);
    return name.isEmpty()
        ? NONE
        : Arrays.stream(values())
            .filter(impact -> impact.text().equals(name))
            .findFirst()
            .orElse(UNFAVOURABLE);
  }
}
