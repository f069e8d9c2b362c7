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

  /** A column. */
  public record Column(String label, Kind kind) {

    /** What its cells are. */
    public enum Kind {
      /** Words. */
      WORDS,
      /** Numbers, which stand at the right side. */
      NUMBERS,
      /** Words that say whether something is up, and have colours where there are any. */
      STATES
    }

    /** A column of words. */
    public static Column words(String label) {
      return new Column(label, Kind.WORDS);
    }

    /** A column of numbers. */
    public static Column numbers(String label) {
      return new Column(label, Kind.NUMBERS);
    }

    /** A column that says whether something is up: Up, Down, or another word for in between. */
    public static Column states(String label) {
      return new Column(label, Kind.STATES);
    }
  }

  /** Copies the lists. */
  public Listing {
    columns = List.copyOf(columns);
    lines = List.copyOf(lines);
    items = List.copyOf(items);
  }
}
