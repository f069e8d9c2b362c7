package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.Position;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Rows in sorted maps, with every rule applied in the most literal way at each read: slow, and
 * plainly right. The oracle of property tests, and the store behind the services in their own
 * tests. Nothing is ever purged.
 *
 * <p>Futures are complete when they are handed out. Thread-safe by one lock.
 */
public final class NaiveRowStore implements RowStore {

  private final Clock clock;
  private final Map<FamilyId, NavigableMap<RowKey, NaiveRow>> families = new HashMap<>();
  private @Nullable Random awkwardness;

  /** An empty store that judges expiry by {@code clock}. */
  public NaiveRowStore(Clock clock) {
    this.clock = clock;
  }

  /**
   * From now on pages are as awkward as a store may make them: shorter than asked for, with rows of
   * a scan that have nothing yet, or with a next although nothing is left.
   *
   * @param random null for pages that are as long as they may be
   */
  public synchronized void awkward(@Nullable Random random) {
    awkwardness = random;
  }

  /** Forgets all rows of a family, deletions included. */
  public synchronized void truncate(FamilyId family) {
    families.remove(family);
  }

  @Override
  public synchronized CompletableFuture<SlicePage> read(SliceRead read) {
    if (isLate(read.deadlineNanos())) {
      return late(read.consistency());
    }
    NaiveRow row = rowOf(read.family().id(), read.key(), read.family().order());
    if (read.countOnly()) {
      List<Cell> all = row.read(read.slice(), Optional.empty(), clock.wallSeconds());
      return CompletableFuture.completedFuture(
          new SlicePage(List.of(), counted(read, all), Optional.empty(), false, CallCost.NONE));
    }
    CellSink sink = read.sinks().get().row(read.key(), read.from());
    Part part = part(row, read.slice(), read.from(), read.pageBytes(), sink);
    while (part.found.isEmpty() && part.next.isPresent()) {
      part = part(row, read.slice(), part.next, read.pageBytes(), sink);
    }
    long tombstones = row.dead(read.slice(), clock.wallSeconds());
    return CompletableFuture.completedFuture(
        new SlicePage(
            part.found, counted(read, part.cells), part.next, part.topContinues, cost(tombstones)));
  }

  /** As much of a row's slice as a page may hold. */
  private record Part(
      CellSink found, List<Cell> cells, Optional<SlicePosition> next, boolean topContinues) {}

  private Part part(
      NaiveRow row, Slice slice, Optional<SlicePosition> from, int pageBytes, CellSink sink) {
    List<Cell> cells = row.read(slice, from, clock.wallSeconds());
    int count = take(cells, pageBytes, sink);
    boolean more = count < cells.size() || happensOnceIn(8);
    return new Part(
        sink,
        cells.subList(0, count),
        more ? row.positionAfter(cells, count, slice, from) : Optional.empty(),
        more && row.continuesTop(cells, count, slice));
  }

  private int take(List<Cell> cells, int pageBytes, CellSink sink) {
    if (happensOnceIn(6)) {
      return 0;
    }
    long bytes = 0;
    int count = 0;
    for (Cell cell : cells) {
      bytes += cell.payloadBytes();
      if (count > 0 && (bytes > pageBytes || !sink.hasRoomFor(cell) || happensOnceIn(9))) {
        break;
      }
      sink.add(cell);
      count++;
    }
    return count;
  }

  private boolean happensOnceIn(int oneIn) {
    Random random = awkwardness;
    return random != null && random.nextInt(oneIn) == 0;
  }

  /** Of this page and those before it. */
  private static long counted(SliceRead read, List<Cell> cells) {
    PathOrder order = read.family().order();
    long count = read.from().map(SlicePosition::counted).orElse(0L);
    Position last =
        read.from().filter(SlicePosition::topCounted).map(SlicePosition::at).orElse(null);
    for (Cell cell : cells) {
      if (!read.slice().bySuperColumn() || last == null || !order.sameTop(last, cell)) {
        count++;
      }
      last = cell;
    }
    return count;
  }

  @Override
  public synchronized CompletableFuture<RangePage> readRange(RangeRead read) {
    if (isLate(read.deadlineNanos())) {
      return late(read.consistency());
    }
    return CompletableFuture.completedFuture(new Scan(read).run());
  }

  /** One page of a scan in the making. */
  private final class Scan {
    private final RangeRead read;
    private final List<RowCells> rows = new ArrayList<>();
    private final PageSink sink;
    private long bytes;
    private long listed;

    Scan(RangeRead read) {
      this.sink = read.sinks().get();
      this.read = read;
      this.listed = read.from().map(RangePosition::rowsListed).orElse(0L);
    }

    RangePage run() {
      int first = read.from().map(p -> RangeRead.rangeOf(read.ranges(), p.row())).orElse(0);
      for (int i = first; i < read.ranges().size(); i++) {
        for (Map.Entry<RowKey, NaiveRow> entry : rowsOf(i).entrySet()) {
          RowKey key = entry.getKey();
          Optional<RangePosition> from = read.from().filter(p -> p.row().equals(key));
          if (from.isPresent() && from.get().inside().isEmpty()) {
            continue;
          }
          Optional<RangePage> page =
              add(key, entry.getValue(), from.flatMap(RangePosition::inside));
          if (page.isPresent()) {
            return page.get();
          }
        }
      }
      return page(Optional.empty(), false, false);
    }

    private NavigableMap<RowKey, NaiveRow> rowsOf(int range) {
      NavigableMap<RowKey, NaiveRow> all =
          families.getOrDefault(read.family().id(), new TreeMap<>());
      RowRange wanted = read.ranges().get(range);
      RowKey start = wanted.start();
      if (read.from().isPresent() && wanted.contains(read.from().get().row())) {
        start = read.from().get().row();
      }
      NavigableMap<RowKey, NaiveRow> tail = all.tailMap(start, true);
      return wanted.end().isPresent() ? tail.headMap(wanted.end().get(), false) : tail;
    }

    /** Adds a row, and ends the page if it is full. */
    private Optional<RangePage> add(RowKey key, NaiveRow row, Optional<SlicePosition> inside) {
      boolean begun = inside.isPresent();
      boolean empty = row.read(read.slice(), inside, clock.wallSeconds()).isEmpty();
      if (begun ? empty : empty && !read.includeEmptyRows()) {
        return Optional.empty();
      }
      if (!begun && listed >= read.rowLimit()) {
        return Optional.of(page(Optional.empty(), false, false));
      }
      if (!rows.isEmpty() && (bytes + key.key().length > read.pageBytes() || happensOnceIn(5))) {
        RowKey last = rows.get(rows.size() - 1).key();
        RangePosition next = new RangePosition(last, Optional.empty(), listed);
        return Optional.of(page(Optional.of(next), false, false));
      }
      if (!begun) {
        listed++;
      }
      bytes += key.key().length;
      if (read.keysOnly()) {
        rows.add(new RowCells(key, List.of()));
        return Optional.empty();
      }
      int room = (int) Math.max(1, read.pageBytes() - bytes);
      Part part = part(row, read.slice(), inside, room, sink.row(key, inside));
      rows.add(new RowCells(key, part.found));
      part.cells.forEach(cell -> bytes += cell.payloadBytes());
      return part.next.map(
          position ->
              page(
                  Optional.of(new RangePosition(key, Optional.of(position), listed)),
                  true,
                  part.topContinues));
    }

    private RangePage page(
        Optional<RangePosition> next, boolean rowContinues, boolean topContinues) {
      return new RangePage(rows, next, rowContinues, topContinues, CallCost.NONE);
    }
  }

  @Override
  public synchronized CompletableFuture<AskedReplicas> write(
      List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
    if (isLate(deadlineNanos)) {
      return late(consistency);
    }
    for (RowMutation mutation : mutations) {
      for (RowMutation.FamilyUpdate update : mutation.updates()) {
        families
            .computeIfAbsent(update.family().id(), id -> new TreeMap<>())
            .computeIfAbsent(mutation.key(), key -> new NaiveRow(update.family().order()))
            .apply(update.update());
      }
    }
    return CompletableFuture.completedFuture(AskedReplicas.NONE);
  }

  private NaiveRow rowOf(FamilyId family, RowKey key, PathOrder order) {
    NaiveRow row = families.getOrDefault(family, new TreeMap<>()).get(key);
    return row != null ? row : new NaiveRow(order);
  }

  private static CallCost cost(long tombstones) {
    return new CallCost(AskedReplicas.NONE, 0, 0, 0, 0, tombstones, 0, 0, 0);
  }

  private boolean isLate(long deadlineNanos) {
    return clock.monotonicNanos() >= deadlineNanos;
  }

  private static <T> CompletableFuture<T> late(Consistency consistency) {
    return CompletableFuture.failedFuture(
        new CoordinationException.ReplicaTimeout(consistency, 1, 0));
  }
}
