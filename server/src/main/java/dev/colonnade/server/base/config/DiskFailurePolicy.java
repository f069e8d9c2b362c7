package dev.colonnade.server.base.config;

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
  BEST_EFFORT
}
