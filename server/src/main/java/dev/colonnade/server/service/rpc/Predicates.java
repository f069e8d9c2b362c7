package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Translates predicates to the slice of a read or the range of a deletion. A super column is a
 * range of its row, so both levels of a Super family are handled alike except for the bounds.
 */
final class Predicates {

  private final RequestRules rules;

  Predicates(RequestRules rules) {
    this.rules = rules;
  }

  /**
   * The slice of a read.
   *
   * @param superColumn the super column whose columns are read; null for the names directly under
   *     the row
   */
  Slice slice(SlicePredicate predicate, ColumnFamily family, byte @Nullable [] superColumn) {
    Slice slice = ofAnyTime(predicate, family, superColumn);
    return predicate.hasMinTimestamp() ? slice.since(predicate.getMinTimestamp()) : slice;
  }

  private Slice ofAnyTime(
      SlicePredicate predicate, ColumnFamily family, byte @Nullable [] superColumn) {
    boolean bySuperColumn = family.isSuper() && superColumn == null;
    switch (predicate.getKindCase()) {
      case COLUMN_NAMES -> {
        List<byte[]> names =
            names(
                predicate.getColumnNames().getNamesList(),
                "predicate.column_names.names",
                family.order(),
                superColumn);
        ColumnComparator comparator = level(family.order(), superColumn);
        names.sort(comparator::compare);
        List<PathRange> ranges = new ArrayList<>(names.size());
        byte[] last = null;
        for (byte[] name : names) {
          if (last == null || comparator.compare(last, name) != 0) {
            ranges.add(only(superColumn, name));
          }
          last = name;
        }
        return new Slice(ranges, false, bySuperColumn, Long.MAX_VALUE);
      }
      case SLICE_RANGE -> {
        SliceRange range = predicate.getSliceRange();
        PathRange path = range(range, "predicate.slice_range", family.order(), superColumn);
        if (range.hasCount() && range.getCount() < 0) {
          throw RequestRefusal.invalid(
              "predicate.slice_range.count",
              "a count is 0 or more, or absent for all; it is " + range.getCount());
        }
        return new Slice(
            isEmpty(path, family.order()) ? List.of() : List.of(path),
            range.getReversed(),
            bySuperColumn,
            range.hasCount() ? range.getCount() : Long.MAX_VALUE);
      }
      default ->
          throw RequestRefusal.invalid(
              "predicate", "a predicate is required: column_names or slice_range");
    }
  }

  /** The checked names of a predicate, in the order of the request. */
  List<byte[]> names(
      List<ByteString> names, String field, PathOrder order, byte @Nullable [] superColumn) {
    if (names.size() > rules.limits().maxNames()) {
      throw RequestRefusal.tooLarge(
          field, "names of one predicate", names.size(), rules.limits().maxNames());
    }
    ColumnComparator comparator = level(order, superColumn);
    List<byte[]> checked = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      try {
        checked.add(rules.name(null, names.get(i), comparator));
      } catch (RequestRefusal refusal) {
        throw refusal.within(field + "[" + i + "]");
      }
    }
    return checked;
  }

  /** The cells of a slice range, in path order whatever its direction; it may be empty. */
  PathRange range(SliceRange range, String field, PathOrder order, byte @Nullable [] superColumn) {
    ColumnComparator comparator = level(order, superColumn);
    byte[] start = rules.bound(field + ".start", range.getStart(), comparator);
    byte[] finish = rules.bound(field + ".finish", range.getFinish(), comparator);
    if (start.length > 0 && finish.length > 0) {
      int comparison = comparator.compare(start, finish);
      if (range.getReversed() ? comparison < 0 : comparison > 0) {
        throw RequestRefusal.invalid(
            field + ".start",
            range.getReversed()
                ? "a reversed slice goes from the greater name to the smaller; start is the smaller"
                : "start comes after finish; set reversed to read backwards");
      }
    }
    byte[] low = range.getReversed() ? finish : start;
    byte[] high = range.getReversed() ? start : finish;
    boolean lowExclusive =
        range.getReversed() ? range.getFinishExclusive() : range.getStartExclusive();
    boolean highExclusive =
        range.getReversed() ? range.getStartExclusive() : range.getFinishExclusive();
    return new PathRange(
        low.length == 0 ? first(superColumn) : bound(superColumn, low, lowExclusive),
        high.length == 0 ? last(superColumn) : bound(superColumn, high, !highExclusive));
  }

  /** All columns of a row, or of one super column. */
  static PathRange all(byte @Nullable [] superColumn) {
    return new PathRange(first(superColumn), last(superColumn));
  }

  /** One column, or one super column. */
  static PathRange only(byte @Nullable [] superColumn, byte[] name) {
    return superColumn == null ? PathRange.of(name) : PathRange.of(superColumn, name);
  }

  static boolean isEmpty(PathRange range, PathOrder order) {
    return order.compare(range.start(), range.end()) >= 0;
  }

  private static ColumnComparator level(PathOrder order, byte @Nullable [] superColumn) {
    return superColumn == null ? order.topType() : order.leafType();
  }

  private static Bound first(byte @Nullable [] superColumn) {
    return superColumn == null ? Bound.START : Bound.before(superColumn);
  }

  private static Bound last(byte @Nullable [] superColumn) {
    return superColumn == null ? Bound.END : Bound.after(superColumn);
  }

  private static Bound bound(byte @Nullable [] superColumn, byte[] name, boolean after) {
    if (superColumn == null) {
      return after ? Bound.after(name) : Bound.before(name);
    }
    return after ? Bound.after(superColumn, name) : Bound.before(superColumn, name);
  }
}
