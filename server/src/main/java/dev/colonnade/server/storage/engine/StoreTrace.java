package dev.colonnade.server.storage.engine;

/**
 * Is told when the steps of one read or write of the store are done, for a call that is traced.
 * Each follows the one before. Called on the thread that does the work: must be quick and never
 * throw.
 */
@FunctionalInterface
public interface StoreTrace {

  /** A step of a read or a write. */
  enum StoreStep {
    /** The read has got a thread that may wait for the disk: memory did not have all of it. */
    READ_QUEUED,
    /** The read is done. */
    READ,
    /** The write is in the commit log, and perhaps not on the disk yet. */
    LOG_APPENDED,
    /** The commit log was synced to the disk, in batch mode. */
    LOG_SYNCED,
    /** The write is in the memtable. */
    APPLIED
  }

  /**
   * A step is done.
   *
   * @param detail figures of it, without keys, names and values; may be empty
   */
  void reached(StoreStep step, String detail);
}
