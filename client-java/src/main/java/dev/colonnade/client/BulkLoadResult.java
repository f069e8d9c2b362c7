package dev.colonnade.client;

import java.util.List;

/**
 * What was loaded. The level of the load was met for each part; replicas that lack parts
 * nevertheless are listed, and get them when the same load is made again with its state file, or by
 * a repair.
 *
 * @param rows a row counts once for each part that it is in, which is one
 * @param columns of several versions of a column in the load one counts
 * @param bytes of rows, as one replica takes them
 * @param missing what replicas lack
 */
public record BulkLoadResult(long rows, long columns, long bytes, List<MissingPart> missing) {

  /**
   * Rows that a replica did not take.
   *
   * @param replica that lacks them
   * @param startToken of the range of the ring that they lie in; outside of it
   * @param endToken of the range; inside of it
   * @param rows how many there are
   * @param reason what the replica said, or why it could not be asked
   */
  public record MissingPart(
      Endpoint replica, String startToken, String endToken, long rows, String reason) {}

  /** Keeps a copy of the list. */
  public BulkLoadResult {
    missing = List.copyOf(missing);
  }
}
