package dev.colonnade.server.storage.engine;

/** Which thread carries out a read, and whether it fills the caches. */
public enum ReadMode {
  /**
   * On the caller's thread while everything needed is in memory, be it the system's, and takes
   * little work; otherwise it starts over on the read stage. For what a client waits for.
   */
  INLINE,

  /** On the read stage, for the later parts of a long read, which would block the caller. */
  OFFLOADED,

  /**
   * On the read stage, and adding nothing to the caches, since these rows are unlikely to be read
   * again. For reads of much data, such as a repair's.
   */
  PAST_CACHES
}
