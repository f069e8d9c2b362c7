package dev.colonnade.server.base.model;

import java.util.List;

/**
 * A listed row of a page.
 *
 * @param found has its live cells, in reading order
 */
public record RowCells(RowKey key, CellSink found) {

  /** A row with a list of cells. */
  public RowCells(RowKey key, List<Cell> cells) {
    this(key, new CellList(cells));
  }

  /** The cells of a page that was read into {@link CellList}s. */
  public List<Cell> cells() {
    return CellList.of(found);
  }
}
