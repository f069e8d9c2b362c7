package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.RowKey;
import java.util.Optional;

/**
 * A range of rows in token order; never wraps.
 *
 * @param start the first row that may be listed
 * @param end the first row that may not; empty for the end of the ring
 */
public record RowRange(RowKey start, Optional<RowKey> end) {

  /** Whether the row may be listed. */
  public boolean contains(RowKey row) {
    return row.compareTo(start) >= 0 && (end.isEmpty() || row.compareTo(end.get()) < 0);
  }
}
