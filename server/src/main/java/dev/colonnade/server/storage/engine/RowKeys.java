package dev.colonnade.server.storage.engine;

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
 * The keys of all rows in one version, ascending and each once, even if nothing of a row is left.
 * For one thread.
 */
final class RowKeys {

  /** One ascending sequence of keys. */
  private interface KeySequence {
    @Nullable RowKey next() throws IOException;
  }

  private final List<KeySequence> sources = new ArrayList<>();
  private final List<@Nullable RowKey> heads = new ArrayList<>();

  private RowKeys() {}

  /** Keys at or after {@code from}. */
  static RowKeys from(FamilyVersion view, RowKey from, ReadContext context) throws IOException {
    RowKeys keys = new RowKeys();
    keys.add(new MemtableKeys(view.active(), from));
    for (FamilyVersion.Flushing flushing : view.flushing()) {
      keys.add(new MemtableKeys(flushing.memtable(), from));
    }
    for (SSTable table : view.tables()) {
      RowKeyCursor cursor = table.keys(from, context);
      keys.add(cursor::next);
    }
    return keys;
  }

  private void add(KeySequence source) throws IOException {
    sources.add(source);
    heads.add(source.next());
  }

  /** The next key, or null at the end. */
  @Nullable RowKey next() throws IOException {
    RowKey least = null;
    for (RowKey head : heads) {
      if (head != null && (least == null || head.compareTo(least) < 0)) {
        least = head;
      }
    }
    if (least == null) {
      return null;
    }
    for (int i = 0; i < heads.size(); i++) {
      RowKey head = heads.get(i);
      if (head != null && head.compareTo(least) == 0) {
        heads.set(i, sources.get(i).next());
      }
    }
    return least;
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
