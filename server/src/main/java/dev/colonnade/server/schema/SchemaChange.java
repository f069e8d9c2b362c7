package dev.colonnade.server.schema;

/**
 * A change that was accepted: what to write, and what the schema is once it is written.
 *
 * @param row to be merged into {@code system.Schema}; empty of cells if nothing changed
 * @param after the schema with it
 */
public record SchemaChange(SchemaRow row, Schema after) {

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return row.cells().isEmpty() && row.deletion().isNone();
  }
}
