package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.ManifestContent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the schema of a node that does not run from its data files. A change is flushed before it
 * is acknowledged, so the log is not needed.
 */
final class StoredSchema {

  private static final ColumnFamily FAMILY = SystemKeyspace.SCHEMA;

  private StoredSchema() {}

  /**
   * Reads it; the system's own families alone if nothing is stored.
   *
   * @param directory of the family that holds it
   * @throws IOException if a file of it is damaged or missing
   * @throws SchemaException if it names a comparator that cannot be found
   */
  static Schema read(
      FileSystem files, ManifestContent manifest, String directory, ComparatorResolver types)
      throws IOException, SchemaException {
    FamilyState state = manifest.families().get(FAMILY.id());
    if (state == null || state.files().isEmpty()) {
      return Schema.empty(types);
    }
    List<SSTableIdentity> live = new ArrayList<>();
    for (long generation : state.files().keySet()) {
      live.add(identity(directory, generation, FAMILY.id(), manifest));
    }
    try (FamilyRows rows = FamilyRows.open(files, live, FAMILY.order())) {
      return Schema.load(rows(rows), types);
    }
  }

  private static SSTableIdentity identity(
      String directory, long generation, FamilyId family, ManifestContent manifest) {
    return new SSTableIdentity(
        directory, generation, family, manifest.identity().partitioner(), FAMILY.order());
  }

  private static List<SchemaRow> rows(FamilyRows rows) throws IOException {
    List<SchemaRow> all = new ArrayList<>();
    for (RowKey key = rows.nextRow(); key != null; key = rows.nextRow()) {
      AtomCursor atoms = rows.atoms();
      DeletionTime deletion = atoms.rowDeletion();
      List<Cell> cells = new ArrayList<>();
      for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
        if (atom instanceof Cell cell) {
          cells.add(cell);
        }
      }
      all.add(new SchemaRow(new String(key.key(), StandardCharsets.UTF_8), deletion, cells));
    }
    return all;
  }
}
