package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.RowKeyCursor;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A walk over all rows in one version by their keys, ascending and each once, even if nothing of a
 * row is left. Each file is walked once: a row is read where the walk has found its key. For one
 * thread.
 */
final class RowKeys {

  /** One ascending sequence of keys. */
  private interface KeySequence {
    @Nullable RowKey next() throws IOException;
  }

  private final FamilyVersion view;
  private final ReadContext context;
  private final List<KeySequence> sources = new ArrayList<>();
  private final List<@Nullable RowKey> heads = new ArrayList<>();

  /** The walk over each file, and the same for those that have the current row. */
  private final RowKeyCursor[] tables;

  private final @Nullable RowKeyCursor[] places;
  private @Nullable RowKey current;

  private RowKeys(FamilyVersion view, ReadContext context) {
    this.view = view;
    this.context = context;
    this.tables = new RowKeyCursor[view.tables().size()];
    this.places = new RowKeyCursor[tables.length];
  }

  /** Keys at or after {@code from}. */
  static RowKeys from(FamilyVersion view, RowKey from, ReadContext context) throws IOException {
    RowKeys keys = new RowKeys(view, context);
    List<SSTable> files = view.tables();
    for (int i = 0; i < files.size(); i++) {
      RowKeyCursor cursor = files.get(i).keys(from, context);
      keys.tables[i] = cursor;
      keys.add(cursor::next);
    }
    keys.add(new MemtableKeys(view.active(), from));
    for (FamilyVersion.Flushing flushing : view.flushing()) {
      keys.add(new MemtableKeys(flushing.memtable(), from));
    }
    return keys;
  }

  private void add(KeySequence source) throws IOException {
    sources.add(source);
    heads.add(source.next());
  }

  /** The next key, or null at the end. */
  @Nullable RowKey next() throws IOException {
    RowKey passed = current;
    RowKey least = null;
    for (int i = 0; i < heads.size(); i++) {
      RowKey head = heads.get(i);
      // Only now, since the row was read at this place.
      if (passed != null && head != null && head.compareTo(passed) == 0) {
        head = sources.get(i).next();
        heads.set(i, head);
      }
      if (head != null && (least == null || head.compareTo(least) < 0)) {
        least = head;
      }
    }
    current = least;
    return least;
  }

  /** The sources of the row whose key was returned last, until the next key is asked for. */
  RowSourceSet row(PathOrder order) {
    RowKey key = current;
    if (key == null) {
      throw new IllegalStateException("no key was returned");
    }
    for (int i = 0; i < tables.length; i++) {
      RowKey head = heads.get(i);
      places[i] = head != null && head.compareTo(key) == 0 ? tables[i] : null;
    }
    return RowSourceSet.at(view, key, places, order, context);
  }

  /**
   * Looks up each key from the one before, so that rows written meanwhile are seen and nothing is
   * pinned.
   */
  private static final class MemtableKeys implements KeySequence {
    private final Memtable memtable;
    private RowKey from;
    private boolean included = true;

    MemtableKeys(Memtable memtable, RowKey from) {
      this.memtable = memtable;
      this.from = from;
    }

    @Override
    public @Nullable RowKey next() {
      RowKey key = memtable.keyFrom(from, included);
      if (key != null) {
        from = key;
        included = false;
      }
      return key;
    }
  }
}
