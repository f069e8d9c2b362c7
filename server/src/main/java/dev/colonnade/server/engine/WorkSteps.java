package dev.colonnade.server.engine;

/**
 * How much is done before a thread is given back, so that a row full of deletions, a desert of
 * deleted rows or a large merge cannot hold one. Answers do not depend on it.
 *
 * @param readAtoms cells and deletions that one turn of a read may pass over, at least 1
 * @param readRows rows that one turn of a scan may look at, at least 1
 * @param mergeAtoms cells and deletions in one step of a merge, at least 1
 */
public record WorkSteps(int readAtoms, int readRows, int mergeAtoms) {

  /** Steps of a few milliseconds at most: whoever waits for the thread does not wait long. */
  public static final WorkSteps DEFAULT = new WorkSteps(50_000, 2_000, 4_096);

  /** Checks the ranges. */
  public WorkSteps {
    if (readAtoms < 1 || readRows < 1 || mergeAtoms < 1) {
      throw new IllegalArgumentException(
          "steps of " + readAtoms + ", " + readRows + " and " + mergeAtoms + "; 1 is the least");
    }
  }
}
