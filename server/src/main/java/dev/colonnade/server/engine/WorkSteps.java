package dev.colonnade.server.engine;

/**
 * How much is done before a thread is given back, so that a row full of deletions, a desert of
 * deleted rows or a large merge cannot hold one. Answers do not depend on it.
 *
 * @param readAtoms cells and deletions that one turn of a read may pass over, at least 1
 * @param readRows rows that one turn of a scan may look at, at least 1
 * @param mergeAtoms cells and deletions in one step of a merge, at least 1
 * @param callerUnits comparisons, about, that a read may make on the thread that asks for it, which
 *     has others to serve, at least 1; what takes more begins again on the read stage
 */
public record WorkSteps(int readAtoms, int readRows, int mergeAtoms, int callerUnits) {

  /** Steps of a few milliseconds at most: whoever waits for the thread does not wait long. */
  public static final WorkSteps DEFAULT = new WorkSteps(50_000, 2_000, 4_096, 20_000);

  /**
   * How much more than on other threads a read may do on the large stage, which has nothing small
   * to serve: an answer of tens of thousands of columns is read where it is put together, so that
   * as many are in the making as that stage has threads.
   */
  private static final int LARGE_FACTOR = 32;

  /**
   * How many cells and deletions the lookup of one range of names is worth: so much is done even if
   * nothing is found.
   */
  static final int ATOMS_PER_LOOKUP = 8;

  /** With as much work on the thread that asks as by default. */
  public WorkSteps(int readAtoms, int readRows, int mergeAtoms) {
    this(readAtoms, readRows, mergeAtoms, 20_000);
  }

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
