package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeTombstoneBuilder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.storage.cache.RowCache;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a read on one thread: what it reads from, which is the row cache or one version of
 * the family, held until the attempt ends. Everything in one response is therefore of one moment.
 *
 * @param context new for each attempt, so that one that starts over counts nothing twice
 */
record ReadAttempt(ColumnFamilyStore store, WorkSteps steps, ReadContext context) {

  /** A read over one row. */
  interface RowRead<T> {
    T over(RowSourceSet row) throws IOException;
  }

  PathOrder order() {
    return store.order();
  }

  /** Deletions from before this time are past gc grace. */
  long keptSinceSeconds(long nowSeconds) {
    return nowSeconds - store.definition().options().gcGraceSeconds();
  }

  <T> ReadResponse<T> response(T result, long tombstones) {
    return new ReadResponse<>(result, tombstones, context.figures());
  }

  /** Reads over the current version. */
  <T> T overVersion(ColumnFamilyStore.ViewRead<T> read) throws IOException {
    return store.withView(read);
  }

  /** Reads over one row, from the row cache if it has the row, or else from the current version. */
  <T> T overRow(RowKey key, RowRead<T> read) throws IOException {
    boolean caches = store.cachesRows();
    CachedRow known = caches ? store.rowCache().find(key) : null;
    RowState whole = known == null ? null : known.whole();
    boolean answered = whole != null;
    if (known == null && caches && context.fillsCaches()) {
      whole = loadedRow(key);
    }
    T result =
        whole == null
            ? store.withView(view -> read.over(RowSourceSet.of(view, key, order(), context)))
            : read.over(RowSourceSet.of(whole, key, order(), context));
    if (caches) {
      store.counters().askedRowCache(answered);
    }
    return result;
  }

  /** Loads a row into the caches; false if there is no such row. */
  boolean touch(RowKey key, boolean loadData) throws IOException {
    if (loadData && store.cachesRows()) {
      RowState row = cachedRow(key);
      // A row that is too large for the cache comes as null.
      return row == null || !row.isEmpty();
    }
    return store.withView(
        view -> {
          AtomCursor cursor =
              RowSourceSet.of(view, key, order(), context).open(PathRange.ALL, false);
          return cursor.next() != null || !cursor.rowDeletion().isNone();
        });
  }

  /**
   * Returns the whole row from the row cache, loading it if needed; null if it is too large to
   * keep.
   */
  private @Nullable RowState cachedRow(RowKey key) throws IOException {
    CachedRow cached = store.rowCache().find(key);
    return cached != null ? cached.whole() : loadedRow(key);
  }

  /** Loads the whole row into the row cache; null if it is too large to keep. */
  private @Nullable RowState loadedRow(RowKey key) throws IOException {
    RowCache<CachedRow> cache = store.rowCache();
    RowCache.Loading loading = cache.begin(key);
    boolean kept = false;
    try {
      CachedRow row =
          store.withView(view -> wholeRow(RowSourceSet.of(view, key, order(), context)));
      kept = cache.complete(loading, row);
      return row.whole();
    } finally {
      if (!kept) {
        cache.abandon(loading);
      }
    }
  }

  private CachedRow wholeRow(RowSourceSet sources) throws IOException {
    AtomCursor cursor = sources.open(PathRange.ALL, false);
    RowUpdate.Builder row = RowUpdate.builder(order());
    row.deleteRow(cursor.rowDeletion());
    RangeTombstoneBuilder open = new RangeTombstoneBuilder(Bound.START, cursor.open(), false);
    long bytes = 0;
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (atom instanceof Cell cell) {
        row.add(cell);
        bytes += cell.payloadBytes();
      } else {
        open.pass((RangeTombstoneMarker) atom, row);
      }
      bytes += RowState.CELL_OVERHEAD_BYTES;
      if (bytes > CachedRow.BYTES_MAX) {
        return CachedRow.TOO_LARGE;
      }
    }
    open.end(Bound.END, row);
    return new CachedRow(RowState.EMPTY.apply(row.build(), order()));
  }
}
