package dev.colonnade.server.metamorphic;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RangePosition;
import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.SlicePage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads that are left in the middle and gone on with later, when the store may have flushed, merged
 * or restarted. The place is worked out from what was received last, so that it does not depend on
 * where a store happens to end its pages.
 */
final class Streams {

  private Streams() {}

  /**
   * How far a stream has come.
   *
   * @param of what it reads
   */
  record Place(
      Operation of, Optional<SlicePosition> slice, @Nullable RowKey row, long rowsListed) {}

  /** Reads up to a number of columns of a row, from where the stream of that number stands. */
  record OfRow(int number, Reads.Row row, int columns) implements Operation {
    @Override
    public List<Object> run(Target target) {
      Place place = target.places().get(number);
      Optional<SlicePosition> from =
          place != null && place.of().equals(row) ? place.slice() : Optional.empty();
      Slice slice = row.slice().slice(target.family(row.family()), row.family());
      List<Object> taken = new ArrayList<>();
      Optional<SlicePosition> next = from;
      do {
        SlicePage page = target.await(target.rows().read(row.read(target, next)));
        for (Cell cell : page.cells()) {
          if (taken.size() < columns) {
            taken.add(cell);
            from = Optional.of(behind(cell, slice, from));
          }
        }
        next = page.next();
      } while (next.isPresent() && taken.size() < columns);
      target.places().put(number, new Place(row, from, null, 0));
      return taken;
    }
  }

  /** Reads up to a number of keys and columns of a scan over everything. */
  record OfRows(int number, Reads.Scan scan, int items) implements Operation {
    @Override
    public List<Object> run(Target target) {
      Place place = target.places().get(number);
      Reading reading =
          new Reading(
              scan.slice().slice(target.family(scan.family()), scan.family()),
              place != null && place.of().equals(scan)
                  ? place
                  : new Place(scan, Optional.empty(), null, 0));
      Optional<RangePosition> next = reading.position();
      do {
        RangePage page = target.await(target.rows().readRange(scan.read(target, next)));
        reading.take(page, items);
        next = page.next();
      } while (next.isPresent() && reading.taken.size() < items);
      target.places().put(number, reading.place);
      return reading.taken;
    }
  }

  /** A scan in the making. */
  private static final class Reading {
    private final Slice slice;
    private final List<Object> taken = new ArrayList<>();
    private Place place;

    Reading(Slice slice, Place place) {
      this.slice = slice;
      this.place = place;
    }

    Optional<RangePosition> position() {
      return Optional.ofNullable(place.row())
          .map(row -> new RangePosition(row, place.slice(), place.rowsListed()));
    }

    void take(RangePage page, int items) {
      for (RowCells row : page.rows()) {
        if (taken.size() >= items) {
          return;
        }
        if (!row.key().equals(place.row())) {
          taken.add(row.key());
          place = new Place(place.of(), Optional.empty(), row.key(), place.rowsListed() + 1);
        }
        for (Cell cell : row.cells()) {
          if (taken.size() < items) {
            taken.add(cell);
            SlicePosition at = behind(cell, slice, place.slice());
            place = new Place(place.of(), Optional.of(at), row.key(), place.rowsListed());
          }
        }
      }
    }
  }

  /** The place behind a cell that came after {@code before}. */
  private static SlicePosition behind(Cell cell, Slice slice, Optional<SlicePosition> before) {
    long counted = before.map(SlicePosition::counted).orElse(0L);
    boolean sameTop =
        slice.bySuperColumn()
            && before.isPresent()
            && Arrays.equals(Objects.requireNonNull(before.get().at().top()), cell.top());
    boolean below = slice.reversed() && !slice.bySuperColumn();
    return new SlicePosition(
        below ? Bound.before(cell) : Bound.after(cell),
        slice.bySuperColumn(),
        sameTop ? counted : counted + 1);
  }
}
