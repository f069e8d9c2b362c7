package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.RowRange;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads of every kind. */
final class Reads {

  private Reads() {}

  /**
   * What of a row is read.
   *
   * @param ranges pairs of edges; those that would overlap the one before are left out
   * @param since the least timestamp
   */
  record Shape(List<Span> ranges, boolean reversed, boolean bySuperColumn, long limit, long since) {

    Slice slice(ColumnFamily family, Families.Shape shape) {
      List<PathRange> kept = new ArrayList<>();
      for (Span span : ranges) {
        PathRange range = new PathRange(span.from().bound(shape), span.to().bound(shape));
        boolean behind =
            kept.isEmpty()
                || family.order().compare(kept.get(kept.size() - 1).end(), range.start()) <= 0;
        if (behind && family.order().compare(range.start(), range.end()) < 0) {
          kept.add(range);
        }
      }
      return new Slice(kept, reversed, bySuperColumn, limit, since);
    }

    @Override
    public String toString() {
      return ranges
          + (reversed ? " reversed" : "")
          + (bySuperColumn ? " by super column" : "")
          + (limit == Long.MAX_VALUE ? "" : " limit " + limit)
          + (since == Long.MIN_VALUE ? "" : " since " + since);
    }
  }

  /** From one place to another. */
  record Span(Write.Edge from, Write.Edge to) {
    @Override
    public String toString() {
      return from + " to " + to;
    }
  }

  /** One row, page by page. */
  record Row(Families.Shape family, int key, Shape slice, int pageBytes) implements Operation {
    @Override
    public List<Object> run(Target target) {
      return finished(target, target.rows().read(read(target, Optional.empty())));
    }

    /** What comes with a page that is under way, and with all that follow it. */
    List<Object> finished(Target target, CompletableFuture<SlicePage> first) {
      SlicePage page = target.await(first);
      List<Object> all = new ArrayList<>(page.cells());
      while (page.next().isPresent()) {
        page = target.await(target.rows().read(read(target, page.next())));
        all.addAll(page.cells());
      }
      return all;
    }

    SliceRead read(Target target, Optional<SlicePosition> from) {
      ColumnFamily of = target.family(family);
      return new SliceRead(
          of,
          target.key(key),
          slice.slice(of, family),
          from,
          pageBytes,
          Consistency.ONE,
          Long.MAX_VALUE,
          PageSink.LISTS);
    }
  }

  /** Some rows, asked for at the same time. */
  record Multiget(Families.Shape family, List<Integer> keys, Shape slice) implements Operation {
    @Override
    public List<Object> run(Target target) {
      List<Row> rows = keys.stream().map(key -> new Row(family, key, slice, 1 << 20)).toList();
      List<CompletableFuture<SlicePage>> pages = new ArrayList<>();
      rows.forEach(row -> pages.add(target.rows().read(row.read(target, Optional.empty()))));
      List<Object> all = new ArrayList<>();
      for (int i = 0; i < rows.size(); i++) {
        all.add(rows.get(i).finished(target, pages.get(i)));
      }
      return all;
    }
  }

  /** How many there are. */
  record Count(Families.Shape family, int key, Shape slice) implements Operation {
    @Override
    public List<Object> run(Target target) {
      ColumnFamily of = target.family(family);
      SliceRead read =
          SliceRead.count(
              of, target.key(key), slice.slice(of, family), Consistency.ONE, Long.MAX_VALUE);
      return List.of(target.await(target.rows().read(read)).counted());
    }
  }

  /**
   * Rows in the order of their tokens.
   *
   * @param edges keys between which rows are read, in pairs that are put into order; none for all
   */
  record Scan(
      Families.Shape family,
      List<Integer> edges,
      Shape slice,
      long rowLimit,
      boolean emptyRows,
      boolean keysOnly,
      int pageBytes)
      implements Operation {

    @Override
    public List<Object> run(Target target) {
      List<Object> all = new ArrayList<>();
      Optional<RangePosition> next = Optional.empty();
      RowKey open = null;
      do {
        RangePage page = target.await(target.rows().readRange(read(target, next)));
        for (RowCells row : page.rows()) {
          if (!row.key().equals(open)) {
            all.add(row.key());
          }
          all.addAll(row.cells());
          open = null;
        }
        if (page.rowContinues()) {
          open = page.rows().get(page.rows().size() - 1).key();
        }
        next = page.next();
      } while (next.isPresent());
      return all;
    }

    RangeRead read(Target target, Optional<RangePosition> from) {
      ColumnFamily of = target.family(family);
      return new RangeRead(
          of,
          ranges(target),
          slice.slice(of, family),
          rowLimit,
          emptyRows,
          keysOnly,
          from,
          pageBytes,
          Consistency.ONE,
          Long.MAX_VALUE,
          PageSink.LISTS);
    }

    private List<RowRange> ranges(Target target) {
      List<RowKey> sorted = edges.stream().map(target::key).distinct().sorted().toList();
      if (sorted.size() < 2) {
        return List.of(new RowRange(RowKey.firstOf(new byte[0]), Optional.empty()));
      }
      List<RowRange> ranges = new ArrayList<>();
      for (int i = 0; i + 1 < sorted.size(); i += 2) {
        ranges.add(new RowRange(sorted.get(i), Optional.of(sorted.get(i + 1))));
      }
      return ranges;
    }
  }
}
