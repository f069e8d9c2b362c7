package dev.colonnade.server.base.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a node does after a disk has failed a read, a write or a sync. */
public enum DiskFailurePolicy {
  /** It ends its process, so that its peers take over at once and an operator looks at the disk. */
  STOP,
  /**
   * It refuses reads and writes until it is restarted, and still answers requests about its state.
   */
  REFUSE,
  /**
   * It goes on with what works: peers and clients are told to prefer others while errors come, and
   * for a minute longer.
   */
  BEST_EFFORT;

  /** Clients lose nothing that a sound replica or this node itself could still give them. */
  public static final DiskFailurePolicy DEFAULT = BEST_EFFORT;

  /** The name in settings. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the policy of that name.
   *
   * @throws IllegalArgumentException if there is none; the message lists them
   */
  public static DiskFailurePolicy parse(String name) {
    return Arrays.stream(values())
        .filter(policy -> policy.text().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the disk failure policy is "
                        + Arrays.stream(values())
                            .map(policy -> "'" + policy.text() + "'")
                            .collect(Collectors.joining(", "))
                        + ", not '"
                        + name
                        + "'"));
  }
}
