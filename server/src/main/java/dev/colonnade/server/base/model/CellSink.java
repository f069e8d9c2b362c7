package dev.colonnade.server.base.model;

/**
 * Takes the live cells of one row's part of a page, in reading order, in the form that the page's
 * reader wants: as they are ({@link CellList}), or encoded at once, so that the page never exists
 * as objects. For one thread and one page.
 */
public interface CellSink {

  /** Whether the page has room for the cell; its first cell is added even if it has not. */
  boolean hasRoomFor(Cell cell);

  /** Adds a live cell. */
  void add(Cell cell);

  /**
   * Adds all of these cells if it has room for all and can do so without an object for each.
   *
   * @return false if it added nothing
   */
  default boolean addAll(PlainCells cells) {
    return false;
  }

  /** Whether no cell was added. */
  boolean isEmpty();
}
