package dev.colonnade.server.engine;

import dev.colonnade.server.cache.RowCache;
import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.env.Stage;
import dev.colonnade.server.model.Atom;
import dev.colonnade.server.model.AtomCursor;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowState;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.sstable.NotCachedException;
import dev.colonnade.server.sstable.ReadContext;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages. First on the caller's thread with what is in memory; if a block is missing there,
 * again on the read stage, which may wait for the disk.
 *
 * <p>Thread-safe.
 */
final class ReadPath {

  /** A read that can be tried with or without the disk. */
  private interface Attempt<T> {
    T run(ReadContext context) throws IOException;
  }

  private final Clock clock;
  private final Scheduler scheduler;
  private final WorkSteps steps;
  private final DamageListener damage;

  ReadPath(Clock clock, Scheduler scheduler, WorkSteps steps, DamageListener damage) {
    this.clock = clock;
    this.scheduler = scheduler;
    this.steps = steps;
    this.damage = damage;
  }

  /** One turn of a slice. */
  CompletableFuture<RowPage> readRow(FamilyStore store, RowQuery query) {
    return attempt(store, context -> readRow(store, query, context));
  }

  /** One turn of a slice, away from the caller's thread. */
  CompletableFuture<RowPage> readRowInBackground(FamilyStore store, RowQuery query) {
    return onReadStage(store, context -> readRow(store, query, context));
  }

  /** One turn of a scan. */
  CompletableFuture<RangeRows> readRange(FamilyStore store, RangeQuery query, long nowSeconds) {
    return attempt(
        store,
        context -> {
          long from = clock.monotonicNanos();
          RangeReader reader =
              store.withView(
                  view -> {
                    RangeReader reading =
                        new RangeReader(view, store.order(), nowSeconds, query, steps, context);
                    reading.read();
                    return reading;
                  });
          store
              .counters()
              .read(context.figures(), reader.tombstonesPassed(), clock.monotonicNanos() - from);
          return reader.rows();
        });
  }

  /** Loads a row into the caches; false if there is no such row. */
  CompletableFuture<Boolean> touch(
      FamilyStore store, RowKey key, boolean loadData, long nowSeconds) {
    return attempt(
        store,
        context ->
            (loadData && store.cachesRows())
                ? hasAnything(cachedRow(store, key, nowSeconds, context))
                : store.withView(
                    view -> {
                      PathRange range = PathRange.ALL;
                      AtomCursor cursor =
                          RowSources.of(view, key, store.order(), nowSeconds, context)
                              .open(range, false);
                      return cursor.next() != null || !cursor.rowDeletion().isNone();
                    }));
  }

  /** A row that is too large for the cache comes as null. */
  private static boolean hasAnything(@Nullable RowState row) {
    return row == null || !row.isEmpty();
  }

  private RowPage readRow(FamilyStore store, RowQuery query, ReadContext context)
      throws IOException {
    long from = clock.monotonicNanos();
    RowState whole =
        store.cachesRows() ? cachedRow(store, query.key(), query.nowSeconds(), context) : null;
    SliceReader reader =
        whole == null
            ? store.withView(
                view ->
                    read(
                        RowSources.of(
                            view, query.key(), store.order(), query.nowSeconds(), context),
                        store,
                        query))
            : read(
                RowSources.of(whole, query.key(), store.order(), query.nowSeconds(), context),
                store,
                query);
    store
        .counters()
        .read(context.figures(), reader.tombstonesPassed(), clock.monotonicNanos() - from);
    return new RowPage(
        reader.cells(),
        reader.counted(),
        reader.next(),
        reader.topContinues(),
        reader.tombstonesPassed(),
        context.figures());
  }

  private SliceReader read(RowSources row, FamilyStore store, RowQuery query) throws IOException {
    SliceReader reader =
        new SliceReader(
            store.order(),
            row,
            query.slice(),
            query.nowSeconds(),
            new ReadBudget(query.bytes(), steps.readAtoms()),
            !query.countOnly());
    reader.read(query.from());
    return reader;
  }

  /** The whole row from the row cache, loaded if need be; null if it is too large to keep. */
  private @Nullable RowState cachedRow(
      FamilyStore store, RowKey key, long nowSeconds, ReadContext context) throws IOException {
    RowCache<CachedRow> cache = store.rowCache();
    CachedRow cached = cache.find(key);
    if (cached != null) {
      return cached.whole();
    }
    RowCache.Loading loading = cache.begin(key);
    boolean kept = false;
    try {
      CachedRow row =
          store.withView(
              view ->
                  wholeRow(
                      RowSources.of(view, key, store.order(), nowSeconds, context),
                      store,
                      nowSeconds));
      kept = cache.complete(loading, row);
      return row.whole();
    } finally {
      if (!kept) {
        cache.abandon(loading);
      }
    }
  }

  private static CachedRow wholeRow(RowSources sources, FamilyStore store, long nowSeconds)
      throws IOException {
    AtomCursor cursor = sources.open(PathRange.ALL, false);
    RowUpdate.Builder row = RowUpdate.builder(store.order(), nowSeconds);
    row.deleteRow(cursor.rowDeletion());
    OpenRange open = new OpenRange(cursor.open());
    long bytes = 0;
    for (Atom atom = cursor.next(); atom != null; atom = cursor.next()) {
      if (atom instanceof Cell cell) {
        row.add(cell);
        bytes += cell.payloadBytes();
      } else {
        open.pass(atom, row);
      }
      bytes += RowState.CELL_OVERHEAD_BYTES;
      if (bytes > CachedRow.BYTES_MAX) {
        return CachedRow.TOO_LARGE;
      }
    }
    open.close(row);
    return new CachedRow(RowState.EMPTY.apply(row.build(), store.order(), nowSeconds));
  }

  private <T> CompletableFuture<T> attempt(FamilyStore store, Attempt<T> attempt) {
    try {
      return CompletableFuture.completedFuture(attempt.run(ReadContext.cachedOnly()));
    } catch (NotCachedException missing) {
      return onReadStage(store, attempt);
    } catch (IOException | RuntimeException e) {
      report(store, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private void report(FamilyStore store, Throwable failure) {
    if (failure instanceof CorruptFileException corrupt) {
      damage.found(store, corrupt);
    }
  }

  private <T> CompletableFuture<T> onReadStage(FamilyStore store, Attempt<T> attempt) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.READ,
            () -> {
              T result;
              try {
                result = attempt.run(ReadContext.blocking());
              } catch (IOException | RuntimeException | Error e) {
                // An error too: whoever waits would never hear of it otherwise.
                report(store, e);
                answer.completeExceptionally(e);
                return;
              }
              answer.complete(result);
            });
    if (!queued) {
      answer.completeExceptionally(new OverloadedException("the read stage"));
    }
    return answer;
  }
}
