package dev.colonnade.server.sim;

/** What can go wrong with one file operation. */
public enum FileFault {
  /**
   * The device fails. A write has written half; a sync may have dropped for good what it should
   * have saved.
   */
  ERROR,
  /** There is no room. A write has written nothing. */
  NO_SPACE,
  /** There is room for half of a write; other operations as {@link #NO_SPACE}. */
  SHORT_WRITE,
  /** The file system takes no changes any more. Reads go on. */
  READ_ONLY,
  /** The process has as many open files as it may have: only opening and creating fail. */
  NO_DESCRIPTORS,
  /** Nothing is done: an {@link Error} is thrown, as of a class that is missing. */
  THROWN_ERROR,
  /** Takes long, and then works. */
  STALL,
  /** Works, but one bit of what is written or read is wrong. */
  FLIPPED_BIT,
  /** A write that is said to have been done, but whose sectors stay as they were. */
  LOST_WRITE,
  /** A write whose sectors change places. */
  MISDIRECTED_WRITE,
  /** A sync, of a file or a directory, that is said to have been done. */
  LOST_SYNC
}
