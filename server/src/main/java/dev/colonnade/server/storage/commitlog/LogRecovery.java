package dev.colonnade.server.storage.commitlog;

/**
 * The result of opening a log.
 *
 * @param segments how many there were
 * @param records how many were replayed
 * @param bytes their frames together
 * @param droppedBytes torn bytes at the end of the last segment that were left out: writes that
 *     never completed
 */
public record LogRecovery(int segments, long records, long bytes, long droppedBytes) {

  /** Describes the result. */
  public String inWords() {
    String torn =
        droppedBytes == 0
            ? ""
            : "; "
                + droppedBytes
                + " bytes at its end belonged to a write that never completed and were left out";
    return records
        + " records ("
        + bytes
        + " bytes) of "
        + segments
        + " commit log segments replayed"
        + torn;
  }
}
