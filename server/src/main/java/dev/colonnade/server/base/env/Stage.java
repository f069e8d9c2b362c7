package dev.colonnade.server.base.env;

/**
 * The named places where deferred work runs. Each has its own threads and its own bounded queue, so
 * that one kind of work cannot starve another.
 *
 * <p>Blocking: on {@link #READ}, {@link #LOG}, {@link #FLUSH}, {@link #COMPACTION}, {@link #HINTS}
 * and {@link #MANIFEST} a task may wait for the disk, and for locks that are held during a file
 * operation. On {@link #TIMER}, {@link #LARGE}, {@link #WRITE}, {@link #GOSSIP}, {@link #CONTROL}
 * and {@link #PASSWORD} it may not, nor may threads outside of the stages: event loops of clients
 * and of peers, and others that call the store. There no file is created, opened, read, synced,
 * renamed or deleted, and no such lock is taken.
 *
 * <p>The exception is the write at the end of the commit log, which {@link #WRITE} makes. It goes
 * to the page cache, but waits nevertheless if the disk hangs or the operating system throttles
 * writers, so no event loop makes it. Tests enforce this with a file system that refuses a blocking
 * call from the wrong place.
 */
public enum Stage {
  /**
   * Time-critical tasks: deadlines of requests, hedges of slow replicas, timeouts of messages.
   * Tasks are short, and complete futures whose continuations are short, too. Separate from all
   * other stages, because a deadline is most needed when the work that it limits has filled them.
   */
  TIMER(false),
  /**
   * Requests and answers that are too large for an event loop: decoded, executed, assembled and
   * encoded, in pieces. Here they wait for each other, and small ones do not wait for them.
   */
  LARGE(false),
  /** Reads that need a block from disk, and the remainder of long reads. */
  READ(true),
  /**
   * Turns of the write pipeline. Separate from {@link #LOG}, so that in periodic mode no write
   * waits for a sync.
   */
  WRITE(false),
  /** The commit log: syncs, group commits, and the segment after next. */
  LOG(true),
  /** Flushes of memtables. */
  FLUSH(true),
  /** Compactions, index rebuilds, streams. */
  COMPACTION(true),
  /** The files of hints, and their delivery: one task at a time, in order. */
  HINTS(true),
  /**
   * Changes of the store's contents, each durable before it takes effect: the live set of data
   * files, column families that are added, changed or dropped, and settings that are changed. One
   * task at a time, in order.
   */
  MANIFEST(true),
  /**
   * Gossip and heartbeats: one task at a time, in order. Separate from {@link #CONTROL}, where a
   * slow listener would make a node look dead.
   */
  GOSSIP(false),
  /**
   * Changes of the ring: membership events from gossip, and the steps of joining, leaving and
   * moving. One task at a time, in order. Their writes to disk are handed to the store and awaited
   * without a thread.
   */
  CONTROL(false),
  /**
   * Hashes of passwords, each of which takes a good part of a second. On a thread of its own, so
   * that guesses at passwords slow down nothing but each other.
   */
  PASSWORD(false);

  private final boolean mayBlock;

  Stage(boolean mayBlock) {
    this.mayBlock = mayBlock;
  }

  /** Whether it has one thread, so that its tasks run one at a time, in order. */
  public boolean isSerial() {
    return switch (this) {
      case WRITE, LOG, HINTS, MANIFEST, GOSSIP, CONTROL -> true;
      case TIMER, LARGE, READ, FLUSH, COMPACTION, PASSWORD -> false;
    };
  }

  /** Whether its tasks may wait for the disk. */
  public boolean mayBlock() {
    return mayBlock;
  }
}
