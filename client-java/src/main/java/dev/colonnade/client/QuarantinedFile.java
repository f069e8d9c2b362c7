package dev.colonnade.client;

import java.time.Instant;

/**
 * A data file that a node found damaged and set aside. Until it is restored or its loss accepted
 * ({@link Node#acceptLoss}), reads that it may concern fail with {@link CorruptDataException}.
 *
 * @param number unique in the family
 * @param path where the file lies now, on the node
 * @param offset where in it the damage was found, in bytes from its start
 * @param reason what was found, for people
 * @param since when it was set aside
 * @param rowsKnown whether it is known which rows the file may have held; if not, every read of the
 *     family is concerned
 */
public record QuarantinedFile(
    String keyspace,
    String columnFamily,
    long number,
    String path,
    long offset,
    String reason,
    Instant since,
    boolean rowsKnown) {

  static QuarantinedFile of(dev.colonnade.admin.v1.QuarantinedFile message) {
    return new QuarantinedFile(
        message.getKeyspace(),
        message.getColumnFamily(),
        message.getNumber(),
        message.getPath(),
        message.getOffset(),
        message.getReason(),
        Instant.ofEpochSecond(message.getSinceSeconds()),
        message.getRowsKnown());
  }
}
