package dev.colonnade.server.schema;

import java.util.List;

/**
 * A change that was accepted: what to write, and what the schema is once it is written.
 *
 * @param rows to be merged into {@code system.Schema}; none if nothing changed
 * @param after the schema with them
 */
public record SchemaChange(List<SchemaRow> rows, Schema after) {

  /** Copies the rows. */
  public SchemaChange {
    rows = List.copyOf(rows);
  }

  static SchemaChange of(SchemaRow row, Schema after) {
    return new SchemaChange(row.isEmpty() ? List.of() : List.of(row), after);
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }
}
