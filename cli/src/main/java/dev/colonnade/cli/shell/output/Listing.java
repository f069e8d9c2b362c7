package dev.colonnade.cli.shell.output;

import java.util.List;
import java.util.Map;

/**
 * Things of one kind: for people as lines with columns, for programs as objects.
 *
 * @param kind of one of them, for programs: the field that each stands in
 * @param plural of the same: the field that their number stands in
 * @param lines a cell for each column; need not be as many as there are items
 * @param items fields by their names: text, {@link Long} for what may be large, other numbers,
 *     booleans, lists and maps of these
 * @param none the text for people if there are no lines
 */
public record Listing(
    String kind,
    String plural,
    List<Column> columns,
    List<List<String>> lines,
    List<Map<String, Object>> items,
    String none) {

  /**
   * A column.
   *
   * @param number whether its cells stand at its right side
   */
  public record Column(String label, boolean number) {

    /** A column of words. */
    public static Column words(String label) {
      return new Column(label, false);
    }

    /** A column of numbers. */
    public static Column numbers(String label) {
      return new Column(label, true);
    }
  }

  /** Copies the lists. */
  public Listing {
    columns = List.copyOf(columns);
    lines = List.copyOf(lines);
    items = List.copyOf(items);
  }
}
