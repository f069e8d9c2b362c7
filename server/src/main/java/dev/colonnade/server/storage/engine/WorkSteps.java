package dev.colonnade.server.storage.engine;

/**
 * How much work is done before a thread is given back, so that a row full of deletions, a run of
 * deleted rows or a large compaction cannot hold a thread. Answers do not depend on it.
 *
 * @param readAtoms cells and deletions that one turn of a read may pass over, at least 1
 * @param readRows rows that one turn of a scan may look at, at least 1
 * @param mergeAtoms cells and deletions in one step of a compaction, at least 1
 * @param callerUnits comparisons, about, that a read may make on the calling thread, which has
 *     other requests to serve, at least 1; a read that needs more starts over on the read stage
 */
public record WorkSteps(int readAtoms, int readRows, int mergeAtoms, int callerUnits) {

  /** Steps of a few milliseconds at most, so that others do not wait long for the thread. */
  public static final WorkSteps DEFAULT = new WorkSteps(50_000, 2_000, 4_096, 20_000);

  /**
   * How much more work a read may do on the large stage, which serves nothing small: an answer of
   * tens of thousands of columns is read on the thread that assembles it, so that as many are
   * assembled at once as that stage has threads.
   */
  private static final int LARGE_FACTOR = 32;

  /**
   * How many cells and deletions the lookup of one range of names counts as, even if it finds
   * nothing.
   */
  static final int ATOMS_PER_LOOKUP = 8;

  /** As {@link #callerUnits}, on the stage of large requests and answers. */
  int largeUnits() {
    return (int) Math.min(Integer.MAX_VALUE, (long) LARGE_FACTOR * callerUnits);
  }

  /** Checks the ranges. */
  public WorkSteps {
    if (readAtoms < 1 || readRows < 1 || mergeAtoms < 1 || callerUnits < 1) {
      throw new IllegalArgumentException(
          "steps of "
              + readAtoms
              + ", "
              + readRows
              + ", "
              + mergeAtoms
              + " and "
              + callerUnits
              + "; 1 is the least");
    }
  }
}
