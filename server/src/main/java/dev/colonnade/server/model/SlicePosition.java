package dev.colonnade.server.model;

/**
 * Where the reading of a slice stands: just behind, in reading order, the last cell that was
 * delivered.
 *
 * @param last the place after the last delivered cell in path order ({@link Bound#after(Cell)}),
 *     whatever the direction of reading; it names the cell
 * @param counted live columns or super columns delivered so far, the one of the last cell included
 */
public record SlicePosition(Bound last, long counted) {}
