package dev.colonnade.client;

import java.util.List;
import java.util.Optional;

/**
 * What was loaded. The level of the load was met for each part; replicas that lack parts
 * nevertheless are listed. They get them by a repair, which another node makes by itself where
 * {@link MissingPart#repairedBy} names one, or when the same load is made again with its state
 * file.
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
   * @param repairedBy the node that took the rows and will repair them with the replica when that
   *     is up; empty if no node remembers it, since those that could have too many repairs to make
   *     already: then repair the family by hand
   */
  public record MissingPart(
      Endpoint replica,
      String startToken,
      String endToken,
      long rows,
      String reason,
      Optional<Endpoint> repairedBy) {

    MissingPart repairedBy(Endpoint node) {
      return new MissingPart(replica, startToken, endToken, rows, reason, Optional.of(node));
    }
  }

  /** Keeps a copy of the list. */
  public BulkLoadResult {
    missing = List.copyOf(missing);
  }
}
