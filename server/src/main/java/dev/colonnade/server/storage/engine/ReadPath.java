package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RangeTombstoneBuilder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowState;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.WorkMeter;
import dev.colonnade.server.storage.cache.RowCache;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.sstable.NotCachedException;
import dev.colonnade.server.storage.sstable.ReadContext;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of rows and ranges.
 *
 * <ul>
 *   <li>A read is first tried on the caller's thread, with what is in memory.
 *   <li>If a block is missing in memory, or the read needs more work than a caller can spare, it
 *       starts over on the read stage, which may wait for the disk.
 *   <li>On the read stage it ends early once its caller has cancelled it or its deadline has
 *       passed.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class ReadPath {

  /**
   * About how many comparisons a read makes between two checks whether its answer is still wanted.
   */
  private static final int UNITS_BETWEEN_LOOKS = 1_000;

  /** A read that can be tried with or without the disk. */
  private interface Attempt<T> {
    T run(ReadContext context) throws IOException;
  }

  /** A read over one row. */
  private interface RowRead<T> {
    T over(RowSourceSet row) throws IOException;
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

  /** Reads one turn of a slice. */
  CompletableFuture<RowPage> readRow(ColumnFamilyStore store, RowQuery query) {
    long from = clock.monotonicNanos();
    return attempt(store, context -> readRow(store, query, context, from));
  }

  /** Reads one turn of a slice, away from the caller's thread. */
  CompletableFuture<RowPage> readRowInBackground(ColumnFamilyStore store, RowQuery query) {
    long from = clock.monotonicNanos();
    return onReadStage(store, context -> readRow(store, query, context, from));
  }

  /** Reads one turn of a scan. */
  CompletableFuture<RangeRows> readRange(
      ColumnFamilyStore store, RangeQuery query, long nowSeconds) {
    long from = clock.monotonicNanos();
    return attempt(store, context -> readRange(store, query, nowSeconds, context, from));
  }

  /** Reads one turn of a scan, away from the caller's thread. */
  CompletableFuture<RangeRows> readRangeInBackground(
      ColumnFamilyStore store, RangeQuery query, long nowSeconds) {
    long from = clock.monotonicNanos();
    return onReadStage(store, context -> readRange(store, query, nowSeconds, context, from));
  }

  private RangeRows readRange(
      ColumnFamilyStore store, RangeQuery query, long nowSeconds, ReadContext context, long from)
      throws IOException {
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
  }

  /** Reads everything known of a slice, deletions included. */
  CompletableFuture<FragmentRead<RowFragment>> readFragment(
      ColumnFamilyStore store, FragmentQuery query) {
    long from = clock.monotonicNanos();
    return attempt(store, context -> readFragment(store, query, context, from));
  }

  /** Reads everything known of a slice, away from the caller's thread. */
  CompletableFuture<FragmentRead<RowFragment>> readFragmentInBackground(
      ColumnFamilyStore store, FragmentQuery query) {
    long from = clock.monotonicNanos();
    return onReadStage(store, context -> readFragment(store, query, context, from));
  }

  /**
   * As in the background, but adds nothing to the caches, since these rows are unlikely to be read
   * again.
   */
  CompletableFuture<FragmentRead<RowFragment>> readFragmentInPassing(
      ColumnFamilyStore store, FragmentQuery query) {
    long from = clock.monotonicNanos();
    return onReadStage(
        store, ReadContext::passing, context -> readFragment(store, query, context, from));
  }

  private FragmentRead<RowFragment> readFragment(
      ColumnFamilyStore store, FragmentQuery query, ReadContext context, long from)
      throws IOException {
    FragmentReader reader =
        overRow(
            store,
            query.key(),
            context,
            row -> {
              FragmentReader reading =
                  new FragmentReader(
                      store.order(),
                      row,
                      query.slice(),
                      query.from(),
                      query.nowSeconds(),
                      keptSinceSeconds(store, query.nowSeconds()),
                      new ReadBudget(query.bytes(), steps.readAtoms()));
              reading.walk(query.from());
              return reading;
            },
            FragmentReader::tombstones,
            from);
    return new FragmentRead<>(reader.fragment(), reader.tombstones(), context.figures());
  }

  /** Reads everything known of rows in token order, deletions included. */
  CompletableFuture<FragmentRead<RangeFragment>> readRangeFragment(
      ColumnFamilyStore store, RangeFragmentQuery query) {
    long from = clock.monotonicNanos();
    return attempt(store, context -> readRangeFragment(store, query, context, from));
  }

  /** Reads everything known of rows in token order, away from the caller's thread. */
  CompletableFuture<FragmentRead<RangeFragment>> readRangeFragmentInBackground(
      ColumnFamilyStore store, RangeFragmentQuery query) {
    long from = clock.monotonicNanos();
    return onReadStage(store, context -> readRangeFragment(store, query, context, from));
  }

  /**
   * As in the background, but adds nothing to the caches, since these rows are unlikely to be read
   * again.
   */
  CompletableFuture<FragmentRead<RangeFragment>> readRangeFragmentInPassing(
      ColumnFamilyStore store, RangeFragmentQuery query) {
    long from = clock.monotonicNanos();
    return onReadStage(
        store, ReadContext::passing, context -> readRangeFragment(store, query, context, from));
  }

  private FragmentRead<RangeFragment> readRangeFragment(
      ColumnFamilyStore store, RangeFragmentQuery query, ReadContext context, long from)
      throws IOException {
    long keptSince = keptSinceSeconds(store, query.nowSeconds());
    RangeFragmentReader reader =
        store.withView(
            view -> {
              RangeFragmentReader reading =
                  new RangeFragmentReader(view, store.order(), keptSince, query, steps, context);
              reading.read();
              return reading;
            });
    store.counters().read(context.figures(), reader.tombstones(), clock.monotonicNanos() - from);
    return new FragmentRead<>(reader.fragment(), reader.tombstones(), context.figures());
  }

  private static long keptSinceSeconds(ColumnFamilyStore store, long nowSeconds) {
    return nowSeconds - store.definition().options().gcGraceSeconds();
  }

  /** Loads a row into the caches; false if there is no such row. */
  CompletableFuture<Boolean> touch(ColumnFamilyStore store, RowKey key, boolean loadData) {
    return attempt(
        store,
        context ->
            (loadData && store.cachesRows())
                ? hasAnything(cachedRow(store, key, context))
                : store.withView(
                    view -> {
                      PathRange range = PathRange.ALL;
                      AtomCursor cursor =
                          RowSourceSet.of(view, key, store.order(), context).open(range, false);
                      return cursor.next() != null || !cursor.rowDeletion().isNone();
                    }));
  }

  /** A row that is too large for the cache comes as null. */
  private static boolean hasAnything(@Nullable RowState row) {
    return row == null || !row.isEmpty();
  }

  private RowPage readRow(ColumnFamilyStore store, RowQuery query, ReadContext context, long from)
      throws IOException {
    SliceReader reader =
        overRow(
            store,
            query.key(),
            context,
            row -> read(row, store, query),
            SliceReader::tombstonesPassed,
            from);
    LiveCells live = reader.live();
    return new RowPage(
        live.cells(),
        live.counted(),
        live.next(),
        live.topContinues(),
        reader.tombstonesPassed(),
        context.figures());
  }

  /** Reads over one row, from the row cache if it has the row, or else from the current version. */
  private <T> T overRow(
      ColumnFamilyStore store,
      RowKey key,
      ReadContext context,
      RowRead<T> read,
      ToLongFunction<T> tombstones,
      long from)
      throws IOException {
    boolean caches = store.cachesRows();
    CachedRow known = caches ? store.rowCache().find(key) : null;
    RowState whole = known == null ? null : known.whole();
    boolean answered = whole != null;
    if (known == null && caches && context.fillsCaches()) {
      whole = loadedRow(store, key, context);
    }
    T reader =
        whole == null
            ? store.withView(view -> read.over(RowSourceSet.of(view, key, store.order(), context)))
            : read.over(RowSourceSet.of(whole, key, store.order(), context));
    if (caches) {
      store.counters().askedRowCache(answered);
    }
    store
        .counters()
        .read(context.figures(), tombstones.applyAsLong(reader), clock.monotonicNanos() - from);
    return reader;
  }

  private SliceReader read(RowSourceSet row, ColumnFamilyStore store, RowQuery query)
      throws IOException {
    SliceReader reader =
        new SliceReader(
            store.order(),
            row,
            query.slice(),
            query.from(),
            query.nowSeconds(),
            new ReadBudget(query.bytes(), steps.readAtoms()),
            !query.countOnly());
    reader.walk(query.from());
    return reader;
  }

  /**
   * Returns the whole row from the row cache, loading it if needed; null if it is too large to
   * keep.
   */
  private @Nullable RowState cachedRow(ColumnFamilyStore store, RowKey key, ReadContext context)
      throws IOException {
    CachedRow cached = store.rowCache().find(key);
    return cached != null ? cached.whole() : loadedRow(store, key, context);
  }

  /** Loads the whole row into the row cache; null if it is too large to keep. */
  private @Nullable RowState loadedRow(ColumnFamilyStore store, RowKey key, ReadContext context)
      throws IOException {
    RowCache<CachedRow> cache = store.rowCache();
    RowCache.Loading loading = cache.begin(key);
    boolean kept = false;
    try {
      CachedRow row =
          store.withView(
              view -> wholeRow(RowSourceSet.of(view, key, store.order(), context), store));
      kept = cache.complete(loading, row);
      return row.whole();
    } finally {
      if (!kept) {
        cache.abandon(loading);
      }
    }
  }

  private static CachedRow wholeRow(RowSourceSet sources, ColumnFamilyStore store)
      throws IOException {
    AtomCursor cursor = sources.open(PathRange.ALL, false);
    RowUpdate.Builder row = RowUpdate.builder(store.order());
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
    return new CachedRow(RowState.EMPTY.apply(row.build(), store.order()));
  }

  private <T> CompletableFuture<T> attempt(ColumnFamilyStore store, Attempt<T> attempt) {
    try {
      return CompletableFuture.completedFuture(
          attempt.run(ReadContext.cachedOnly(OffloadReadException.after(callersUnits()))));
    } catch (NotCachedException | OffloadReadException elsewhere) {
      return onReadStage(store, attempt);
    } catch (IOException | RuntimeException | Error e) {
      report(store, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The large stage is for long work: only reads that need the disk leave it. */
  private int callersUnits() {
    return scheduler.current() == Stage.LARGE ? steps.largeUnits() : steps.callerUnits();
  }

  private void report(ColumnFamilyStore store, Throwable failure) {
    Errors.escalate(failure);
    if (failure instanceof CorruptFileException corrupt) {
      damage.found(store, corrupt);
    }
  }

  /** Ends a read whose answer is no longer wanted: it was cancelled, or its deadline has passed. */
  private static WorkMeter unlessDone(CompletableFuture<?> answer) {
    return new WorkMeter() {
      private int sinceLook;

      @Override
      public void spend(int units) {
        sinceLook += units;
        if (sinceLook >= UNITS_BETWEEN_LOOKS) {
          sinceLook = 0;
          if (answer.isDone()) {
            throw new CancellationException("nobody waits for this read any more");
          }
        }
      }
    };
  }

  private <T> CompletableFuture<T> onReadStage(ColumnFamilyStore store, Attempt<T> attempt) {
    return onReadStage(store, ReadContext::blocking, attempt);
  }

  private <T> CompletableFuture<T> onReadStage(
      ColumnFamilyStore store, Function<WorkMeter, ReadContext> circumstances, Attempt<T> attempt) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    boolean queued =
        scheduler.submit(
            Stage.READ,
            () -> {
              if (answer.isDone()) {
                // Cancelled while it waited.
                return;
              }
              T result;
              try {
                result = attempt.run(circumstances.apply(unlessDone(answer)));
              } catch (IOException | RuntimeException | Error e) {
                // Catches errors too: otherwise the caller would wait for ever.
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
