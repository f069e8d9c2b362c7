package dev.colonnade.server.schema;

import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.Reconcile;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * One keyspace as cells, or a change of one: a row of the Super family {@code system.Schema}, whose
 * key is the keyspace's name. The super column {@code keyspace} holds the keyspace's own fields;
 * every other one is named by a family's id and holds the family's name and fields. All names and
 * values are UTF-8 text.
 *
 * <p>A keyspace exists while its cell {@code name} is live, a family while its own is. Dropping a
 * family deletes its cells, dropping a keyspace deletes the row. A truncation is a cell of the
 * family.
 *
 * @param keyspace the row's key
 * @param deletion of the row, or {@link DeletionTime#NONE}
 * @param cells sorted by path, each path once, none hidden by the deletion
 */
public record SchemaRow(String keyspace, DeletionTime deletion, List<Cell> cells) {

  /** The super column of the keyspace's own fields; no family id looks like it. */
  static final String OF_KEYSPACE = "keyspace";

  static final String NAME = "name";

  /** Of a family that was ever truncated; the cell's timestamp is the truncation's number. */
  static final String TRUNCATION = "truncation";

  /**
   * The timestamp of what configuration files say, before any that a clock gives: whatever people
   * do goes over it.
   */
  static final long CONFIGURED_MICROS = 1;

  /** Sorts the cells, keeps one of each path, and leaves out what the deletion hides. */
  public SchemaRow {
    TreeMap<Cell, Cell> sorted = new TreeMap<>(SystemKeyspace.SCHEMA.order());
    addAll(sorted, deletion, cells);
    cells = List.copyOf(sorted.values());
  }

  private static void addAll(
      TreeMap<Cell, Cell> target, DeletionTime deletion, Collection<Cell> cells) {
    for (Cell cell : cells) {
      if (!deletion.hides(cell.timestamp())) {
        target.merge(cell, cell, Reconcile::pick);
      }
    }
  }

  /** What this row is after {@code change}, whichever of the two happened first. */
  public SchemaRow merge(SchemaRow change) {
    TreeMap<Cell, Cell> merged = new TreeMap<>(SystemKeyspace.SCHEMA.order());
    DeletionTime later = DeletionTime.max(deletion, change.deletion);
    addAll(merged, later, cells);
    addAll(merged, later, change.cells);
    return new SchemaRow(keyspace, later, List.copyOf(merged.values()));
  }

  /** Whether there never was such a keyspace. */
  boolean isEmpty() {
    return deletion.isNone() && cells.isEmpty();
  }

  /** The key of this row in {@code system.Schema}. */
  public byte[] key() {
    return bytes(keyspace);
  }

  /** The smallest timestamp that is after everything in this row, and not before {@code micros}. */
  long timestampAfter(long micros) {
    long latest = deletion.isNone() ? micros : Math.max(micros, deletion.timestamp() + 1);
    for (Cell cell : cells) {
      latest = Math.max(latest, cell.timestamp() + 1);
    }
    return latest;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
