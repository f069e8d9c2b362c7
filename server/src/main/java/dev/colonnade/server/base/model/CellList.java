package dev.colonnade.server.base.model;

import java.util.ArrayList;
import java.util.List;

/** Collects cells as they are. Its room is without limit. For one thread. */
public record CellList(List<Cell> cells) implements CellSink {

  /** Starts without cells. */
  public CellList() {
    this(new ArrayList<>());
  }

  /**
   * The cells of a page that was read into a list.
   *
   * @throws IllegalStateException if it was read into something else
   */
  public static List<Cell> of(CellSink sink) {
    if (sink instanceof CellList list) {
      return list.cells;
    }
    throw new IllegalStateException("these cells were not collected but given to " + sink);
  }

  @Override
  public boolean hasRoomFor(Cell cell) {
    return true;
  }

  @Override
  public void add(Cell cell) {
    cells.add(cell);
  }

  @Override
  public boolean isEmpty() {
    return cells.isEmpty();
  }
}
