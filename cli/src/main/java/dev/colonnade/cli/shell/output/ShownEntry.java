package dev.colonnade.cli.shell.output;

import java.util.List;
import java.util.OptionalLong;

/** What stands directly under a row, with names and values as text. */
public sealed interface ShownEntry {

  /** Its name. */
  String name();

  /**
   * A column.
   *
   * @param ttlSeconds as it was written; empty for a column that stays
   */
  record Column(String name, String value, long timestampMicros, OptionalLong ttlSeconds)
      implements ShownEntry {}

  /** A super column with the columns that it holds. */
  record Super(String name, List<Column> columns) implements ShownEntry {
    /** Copies the list. */
    public Super {
      columns = List.copyOf(columns);
    }
  }
}
