package dev.colonnade.server.env;

/**
 * The named places where deferred work runs. Each has its own threads and its own bounded queue, so
 * that one kind of work cannot starve another.
 *
 * <p>What may block where: on {@link #READ}, {@link #LOG}, {@link #FLUSH}, {@link #COMPACTION},
 * {@link #HINTS} and {@link #MANIFEST} a task may wait for the disk, and for locks that are held
 * during a file operation. On {@link #TIMER}, {@link #LARGE}, {@link #WRITE}, {@link #GOSSIP} and
 * {@link #CONTROL} it may not, nor may threads that are no stage's: event loops of clients and of
 * peers, and others that call the store. There no file is created, opened, read, synced, renamed or
 * deleted, and no such lock is taken.
 *
 * <p>The exception is the write at the end of the commit log, which {@link #WRITE} makes. It goes
 * to the system's memory, but waits all the same where the disk hangs or the system slows writers
 * down, so that no event loop makes it. Tests hold the node to this with a file system that refuses
 * a blocking call from the wrong place.
 */
public enum Stage {
  /**
   * What must happen by the clock: deadlines of requests, hedges of slow replicas, time-outs of
   * messages. Tasks are short, and complete futures whose continuations are short, too. Apart from
   * all other stages, because a deadline is most needed when the work that it limits has filled
   * them.
   */
  TIMER(false),
  /**
   * Requests and answers that are too large for an event loop: taken apart, carried out, put
   * together and encoded, in pieces. Here they wait for each other, and small ones do not wait for
   * them.
   */
  LARGE(false),
  /** Reads that need a block from disk, and what is left of reads that take long. */
  READ(true),
  /**
   * Turns of the write pipeline. Apart from {@link #LOG}, so that in periodic mode no write waits
   * for a sync.
   */
  WRITE(false),
  /** The commit log: syncs, group commits, and the segment after next. */
  LOG(true),
  /** Memtables on their way to disk. */
  FLUSH(true),
  /** Merges of data files, index rebuilds, streams. */
  COMPACTION(true),
  /**
   * The files of writes kept for absent nodes, and their delivery: one task at a time, in order.
   */
  HINTS(true),
  /**
   * Changes of what the store consists of, each durable before it counts: the live set of data
   * files, and column families that are added, changed or dropped. One task at a time, in order.
   */
  MANIFEST(true),
  /**
   * Heartbeats and what comes with them: one task at a time, in order. Apart from {@link #CONTROL},
   * where a slow listener would make a node look dead.
   */
  GOSSIP(false),
  /**
   * Changes of the ring: what gossip says of members, and the steps of joining, leaving and moving.
   * One task at a time, in order. What these keep on disk is handed to the store and waited for
   * without a thread.
   */
  CONTROL(false);

  private final boolean mayBlock;

  Stage(boolean mayBlock) {
    this.mayBlock = mayBlock;
  }

  /** Whether it has one thread, so that its tasks run one at a time, in order. */
  public boolean isSerial() {
    return switch (this) {
      case WRITE, LOG, HINTS, MANIFEST, GOSSIP, CONTROL -> true;
      case TIMER, LARGE, READ, FLUSH, COMPACTION -> false;
    };
  }

  /** Whether its tasks may wait for the disk. */
  public boolean mayBlock() {
    return mayBlock;
  }
}
