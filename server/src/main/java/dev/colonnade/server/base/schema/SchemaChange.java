package dev.colonnade.server.base.schema;

import java.util.List;

/**
 * A change that was accepted: the rows to write, and the schema that results once they are written.
 *
 * @param rows to be merged into {@code system.Schema}; none if nothing changed
 * @param after the schema with them
 */
public record SchemaChange(List<SchemaRow> rows, Schema after) {

  /**
   * The bound for the definitions of one keyspace, some thousand families: they are sent to other
   * nodes as one message, and logged as one record.
   */
  static final long KEYSPACE_BYTES_MAX = 4 << 20;

  /** Copies the rows. */
  public SchemaChange {
    rows = List.copyOf(rows);
  }

  static SchemaChange of(SchemaRow row, Schema after) {
    return new SchemaChange(row.isEmpty() ? List.of() : List.of(row), after);
  }

  /**
   * Refuses a keyspace that would take too many bytes for one message between nodes, with all of
   * its families, dropped ones included.
   *
   * @throws SchemaException INVALID
   */
  public void requireSize() throws SchemaException {
    for (SchemaRow row : rows) {
      long bytes = after.row(row.keyspace()).bytes();
      if (bytes > KEYSPACE_BYTES_MAX) {
        throw SchemaException.invalid(
            "keyspace",
            "keyspace "
                + Names.quote(row.keyspace())
                + " would have definitions of "
                + bytes
                + " bytes, those of families that were dropped included, and "
                + KEYSPACE_BYTES_MAX
                + " is the most; put families into another keyspace");
      }
    }
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return rows.isEmpty();
  }
}
