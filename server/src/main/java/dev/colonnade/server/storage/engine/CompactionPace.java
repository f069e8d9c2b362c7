package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Throttle;

/**
 * How fast the compactions of a node may read together. The limit that is configured is meant for
 * times when compaction keeps up: it leaves the disk to requests. Where it does not keep up, the
 * limit would let files pile up, which costs every read, and in the end writes would have to wait.
 * So the limit holds for each running compaction, and it grows with the files of the family that
 * has the most.
 *
 * <p>Thread-safe.
 */
final class CompactionPace {

  /** This share of the files that a family may have adds the limit once more. */
  private static final int STEPS = 8;

  private final Throttle throttle;
  private volatile long bytesPerSecond;
  private final int familyFilesMax;

  /**
   * Starts with the limit.
   *
   * @param bytesPerSecond of one compaction while there are few files; 0 for no limit
   * @param familyFilesMax data files that a family may have
   */
  CompactionPace(long bytesPerSecond, int familyFilesMax) {
    this.throttle = new Throttle(bytesPerSecond);
    this.bytesPerSecond = bytesPerSecond;
    this.familyFilesMax = familyFilesMax;
  }

  /** Changes the limit from the next call of {@link #follow} on; 0 for none. */
  void bytesPerSecond(long changed) {
    bytesPerSecond = changed;
  }

  /** What all compactions share. */
  Throttle throttle() {
    return throttle;
  }

  /**
   * Adapts the limit.
   *
   * @param running how many compactions run
   * @param files of the family that has the most, of those that are being compacted
   */
  void follow(int running, int files) {
    throttle.bytesPerSecond(bytesPerSecond(running, files));
  }

  /** Returns the limit for all of them together; 0 for none. */
  long bytesPerSecond(int running, int files) {
    long backlog = 1 + (long) STEPS * files / familyFilesMax;
    return bytesPerSecond * Math.max(1, running) * backlog;
  }
}
