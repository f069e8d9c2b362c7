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

/**
 * Reads the node's own families back when the store opens, before anything else runs: what a node
 * knows of itself decides how its parts are built. Blocks.
 */
final class SystemRows {

  private static final RowKey FIRST = RowKey.firstOf(new byte[0]);

  private SystemRows() {}

  /** The schema, from the family that holds it. */
  static Schema schema(ColumnFamilyStore store, ComparatorResolver types)
      throws IOException, SchemaException {
    return Schema.load(store.withView(view -> schemaRows(view, store)), types);
  }

  /**
   * The live cells of each row of the family, in the order of keys. Rows without any are left out.
   */
  static List<SystemRow> live(ColumnFamilyStore store, long nowSeconds) throws IOException {
    return store.withView(view -> liveRows(view, store, nowSeconds));
  }

  private static List<SchemaRow> schemaRows(FamilyVersion view, ColumnFamilyStore store)
      throws IOException {
    List<SchemaRow> rows = new ArrayList<>();
    ReadContext context = ReadContext.blocking();
    RowKeys keys = RowKeys.from(view, FIRST, context);
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      AtomCursor cursor = open(view, key, store, context);
      String keyspace = new String(key.key(), StandardCharsets.UTF_8);
      rows.add(new SchemaRow(keyspace, cursor.rowDeletion(), cells(cursor)));
    }
    return rows;
  }

  private static List<SystemRow> liveRows(
      FamilyVersion view, ColumnFamilyStore store, long nowSeconds) throws IOException {
    List<SystemRow> rows = new ArrayList<>();
    ReadContext context = ReadContext.blocking();
    RowKeys keys = RowKeys.from(view, FIRST, context);
    for (RowKey key = keys.next(); key != null; key = keys.next()) {
      List<Cell> live = cells(open(view, key, store, context));
      live.removeIf(cell -> !cell.isLiveAt(nowSeconds));
      if (!live.isEmpty()) {
        rows.add(new SystemRow(key, live));
      }
    }
    return rows;
  }

  private static AtomCursor open(
      FamilyVersion view, RowKey key, ColumnFamilyStore store, ReadContext context)
      throws IOException {
    return RowSourceSet.of(view, key, store.order(), context).open(PathRange.ALL, false);
  }

  private static List<Cell> cells(AtomCursor cursor) throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (atom instanceof Cell cell) {
        cells.add(cell);
      }
    }
    return cells;
  }
}
