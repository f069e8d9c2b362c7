package dev.colonnade.server.service.readrepair;

import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.List;

/**
 * One page of a scan, resolved from all answers.
 *
 * @param page as one store that has everything would answer it
 * @param corrections what each replica lacks, row by row, in the order of the answers; empty lists
 *     for those that lack nothing
 */
public record ResolvedRange(RangeRows page, List<List<Correction>> corrections) {

  /** What a replica lacks of one row; never empty. */
  public record Correction(RowKey key, RowUpdate update) {}
}
