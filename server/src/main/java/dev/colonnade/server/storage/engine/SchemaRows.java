package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the schema back from the family that holds it. Blocks. */
final class SchemaRows {

  private static final RowKey FIRST = RowKey.firstOf(new byte[0]);

  private SchemaRows() {}

  static Schema load(ColumnFamilyStore store, ComparatorResolver types)
      throws IOException, SchemaException {
    List<SchemaRow> rows = store.withView(view -> rows(view, store));
    return Schema.load(rows, types);
  }

  private static List<SchemaRow> rows(FamilyVersion view, ColumnFamilyStore store)
      throws IOException {
    List<SchemaRow> rows = new ArrayList<>();
    ReadContext context = ReadContext.blocking();
    RowKeys keys = RowKeys.from(view, FIRST, context);
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      AtomCursor cursor =
          RowSourceSet.of(view, key, store.order(), context).open(PathRange.ALL, false);
      List<Cell> cells = new ArrayList<>();
      for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
        if (atom instanceof Cell cell) {
          cells.add(cell);
        }
      }
      String keyspace = new String(key.key(), StandardCharsets.UTF_8);
      rows.add(new SchemaRow(keyspace, cursor.rowDeletion(), cells));
    }
    return rows;
  }
}
