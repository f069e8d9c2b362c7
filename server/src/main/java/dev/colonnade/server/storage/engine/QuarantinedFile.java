package dev.colonnade.server.storage.engine;

/**
 * A quarantined file of a family, as operators see it.
 *
 * @param number its generation, unique in the family
 * @param contents what is in it
 * @param records how many, in a file of records; else 0
 * @param path where it lies
 * @param offset of the damage, in bytes from its start; 0 in a file of records
 * @param reason what was found, or thrown at the first record
 * @param sinceSeconds when it was quarantined, in seconds since 1970
 * @param rowsKnown whether it is known which rows it may have had; if not, all reads of the family
 *     are concerned
 */
public record QuarantinedFile(
    long number,
    Contents contents,
    long records,
    String path,
    long offset,
    String reason,
    long sinceSeconds,
    boolean rowsKnown) {

  /** The content of a quarantined file. */
  public enum Contents {
    /** Rows: it is a damaged data file. */
    ROWS,
    /** Records of the commit log that could not be applied; they are missing from the family. */
    LOGGED_RECORDS,
    /** Hints that could not be applied; this node never acknowledged them. */
    REFUSED_RECORDS
  }
}
