package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.memtable.MemtableRow;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.RowKeyCursor;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all rows in one version by their keys, ascending and each once, even if nothing of a
 * row is left. Each file and each memtable is walked once: a row is read where the walk has found
 * its key. A row that is written after the walk began may be found as it was before. For one
 * thread.
 */
final class RowKeys {

  private final FamilyVersion view;
  private final ReadContext context;

  private final RowKeyCursor[] tables;
  private final MemtableKeys[] memtables;

  /** The next key of each file. */
  private final @Nullable RowKey[] heads;

  private @Nullable RowKey current;

  private RowKeys(FamilyVersion view, ReadContext context) {
    this.view = view;
    this.context = context;
    this.tables = new RowKeyCursor[view.tables().size()];
    this.heads = new RowKey[tables.length];
    this.memtables = new MemtableKeys[1 + view.flushing().size()];
  }

  /** Keys at or after {@code from}. */
  static RowKeys from(FamilyVersion view, RowKey from, ReadContext context) throws IOException {
    RowKeys keys = new RowKeys(view, context);
    keys.memtables[0] = new MemtableKeys(view.active(), from);
    for (int i = 1; i < keys.memtables.length; i++) {
      keys.memtables[i] = new MemtableKeys(view.flushing().get(i - 1).memtable(), from);
    }
    List<SSTable> files = view.tables();
    for (int i = 0; i < files.size(); i++) {
      RowKeyCursor cursor = files.get(i).keys(from, context);
      keys.tables[i] = cursor;
      keys.heads[i] = cursor.next();
    }
    return keys;
  }

  /** The next key, or null at the end. */
  @Nullable RowKey next() throws IOException {
    RowKey passed = current;
    RowKey least = null;
    for (MemtableKeys memtable : memtables) {
      if (passed != null && memtable.isAt(passed)) {
        memtable.advance();
      }
      least = lesser(least, memtable.key);
    }
    for (int i = 0; i < heads.length; i++) {
      // Only now, since the row was read at this place.
      if (passed != null && isAt(i, passed)) {
        heads[i] = tables[i].next();
      }
      least = lesser(least, heads[i]);
    }
    current = least;
    return least;
  }

  private boolean isAt(int table, RowKey key) {
    RowKey head = heads[table];
    return head != null && head.compareTo(key) == 0;
  }

  private static @Nullable RowKey lesser(@Nullable RowKey a, @Nullable RowKey b) {
    return a == null || (b != null && b.compareTo(a) < 0) ? b : a;
  }

  /** The sources of the row whose key was returned last, until the next key is asked for. */
  RowSourceSet row(PathOrder order) {
    RowKey key = current;
    if (key == null) {
      throw new IllegalStateException("no key was returned");
    }
    List<RowState> states = new ArrayList<>(memtables.length);
    for (MemtableKeys memtable : memtables) {
      if (memtable.isAt(key)) {
        states.add(memtable.state());
      }
    }
    RowKeyCursor[] places = new RowKeyCursor[tables.length];
    for (int i = 0; i < tables.length; i++) {
      places[i] = isAt(i, key) ? tables[i] : null;
    }
    return RowSourceSet.at(view, key, states, places, order, context);
  }

  /** The walk over one memtable. */
  private static final class MemtableKeys {
    private final Iterator<Map.Entry<RowKey, MemtableRow>> rows;
    private @Nullable RowKey key;
    private @Nullable MemtableRow row;

    MemtableKeys(Memtable memtable, RowKey from) {
      this.rows = memtable.rowsFrom(from);
      advance();
    }

    private void advance() {
      boolean more = rows.hasNext();
      Map.Entry<RowKey, MemtableRow> next = more ? rows.next() : null;
      key = next == null ? null : next.getKey();
      row = next == null ? null : next.getValue();
    }

    boolean isAt(RowKey other) {
      RowKey here = key;
      return here != null && here.compareTo(other) == 0;
    }

    RowState state() {
      MemtableRow here = row;
      return here == null ? RowState.EMPTY : here.state();
    }
  }
}
