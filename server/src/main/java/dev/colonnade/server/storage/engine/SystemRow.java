package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import java.util.List;

/**
 * A row of one of the node's own families, as it was when the store opened.
 *
 * @param cells the live ones, in their order; at least one
 */
public record SystemRow(RowKey key, List<Cell> cells) {
  /** Keeps the list as it is now. */
  public SystemRow {
    cells = List.copyOf(cells);
  }
}
