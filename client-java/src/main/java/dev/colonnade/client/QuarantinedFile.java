package dev.colonnade.client;

import java.time.Instant;

/**
 * A file that a node has set aside: a data file that is damaged, or records that could not be
 * applied. Until it is restored or applied ({@link Node#applySetAside}), or its loss accepted
 * ({@link Node#acceptLoss}), reads that may need it fail with {@link CorruptDataException}.
 *
 * @param number unique in the family
 * @param contents what is in it
 * @param records how many, in a file of records; else 0
 * @param path where the file lies now, on the node
 * @param offset where in it the damage was found, in bytes from its start; 0 in a file of records
 * @param reason the damage found, or the exception at the first record, as text
 * @param since when it was set aside
 * @param rowsKnown whether it is known which rows the file may have held; if not, every read of the
 *     family is affected
 */
public record QuarantinedFile(
    String keyspace,
    String columnFamily,
    long number,
    Contents contents,
    long records,
    String path,
    long offset,
    String reason,
    Instant since,
    boolean rowsKnown) {

  /** The contents of a file that is set aside. */
  public enum Contents {
    /** Rows: it is a damaged data file. */
    ROWS,
    /**
     * Records of the commit log that could not be applied, for example because a comparator throws.
     */
    LOGGED_RECORDS,
    /** Hints that could not be applied: no read is affected. */
    REFUSED_RECORDS
  }

  static QuarantinedFile of(dev.colonnade.admin.v1.QuarantinedFile message) {
    return new QuarantinedFile(
        message.getKeyspace(),
        message.getColumnFamily(),
        message.getNumber(),
        switch (message.getContents()) {
          case QUARANTINE_CONTENTS_LOGGED_RECORDS -> Contents.LOGGED_RECORDS;
          case QUARANTINE_CONTENTS_REFUSED_RECORDS -> Contents.REFUSED_RECORDS;
          default -> Contents.ROWS;
        },
        message.getRecords(),
        message.getPath(),
        message.getOffset(),
        message.getReason(),
        Instant.ofEpochSecond(message.getSinceSeconds()),
        message.getRowsKnown());
  }
}
