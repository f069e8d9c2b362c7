package dev.colonnade.server.env;

/**
 * The named places where deferred work runs. Each has its own bounded queue, so that one kind of
 * work cannot starve another.
 */
public enum Stage {
  /** Reads that need a block from disk. */
  READ,
  /**
   * Group commits of the log, and turns of the write pipeline that were handed over by a busy
   * caller.
   */
  LOG,
  /** Memtables on their way to disk. */
  FLUSH,
  /** Merges of data files, index rebuilds. */
  COMPACTION,
  /**
   * The files of writes kept for absent nodes, and their delivery: one task at a time, in order.
   */
  HINTS,
  /**
   * Heartbeats and what comes with them: one task at a time, in order, none of which touches a
   * file. Apart from {@link #CONTROL}, where a slow disk would make a node look dead.
   */
  GOSSIP,
  /** The serial queue of schema, membership and live-set changes: one task at a time, in order. */
  CONTROL
}
