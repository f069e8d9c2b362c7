package dev.colonnade.server.service.bulkload;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.List;

/**
 * What a load will write.
 *
 * @param family with the id by which the load was planned
 * @param truncation the last one of the family when the load was planned
 * @param ranges where the tokens of its rows lie; at least one
 * @param purpose for people
 */
public record LoadTarget(
    Keyspace keyspace,
    ColumnFamily family,
    long truncation,
    List<TokenRange> ranges,
    String purpose) {

  /** Copies the list. */
  public LoadTarget {
    ranges = List.copyOf(ranges);
    if (ranges.isEmpty()) {
      throw new IllegalArgumentException("a load has at least one range");
    }
  }
}
