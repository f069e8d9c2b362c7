package dev.colonnade.connectors.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.jspecify.annotations.Nullable;

/**
 * Which of Spark's filters nodes can answer: of the key, of the names that a slice selects, of the
 * least timestamp in a table of cells, and that a column is there. All other filters, and those of
 * timestamps, are left to Spark as well. For one thread.
 */
final class PushedFilters {

  private static final int NAME_BYTES_MAX = 65_535;

  private final Fields fields;
  private final String comparator;

  /** The field whose values a slice selects; null if there is none. */
  private final Fields.@Nullable Field sliced;

  private final List<Filter> pushed = new ArrayList<>();
  private final List<Filter> residual = new ArrayList<>();
  private final Set<String> present = new HashSet<>();

  private @Nullable List<byte[]> keys;
  private @Nullable List<byte[]> names;
  private Selection.@Nullable Bound from;
  private Selection.@Nullable Bound to;
  private @Nullable Long since;

  PushedFilters(Fields fields, FamilyTypes types, Filter[] filters) {
    this.fields = fields;
    this.comparator = types.comparator();
    this.sliced =
        fields
            .of(types.isSuper() ? Fields.Role.SUPER : Fields.Role.NAME)
            .filter(each -> types.isSuper() || fields.isCells())
            .orElse(null);
    for (Filter each : filters) {
      boolean isExact = take(each);
      if (isExact) {
        pushed.add(each);
      } else {
        residual.add(each);
      }
    }
    // A slice has names or ends, and Spark compares the ends then.
    if (names != null && (from != null || to != null)) {
      List<Filter> ends = pushed.stream().filter(this::isEnd).toList();
      pushed.removeAll(ends);
      residual.addAll(ends);
      from = null;
      to = null;
    }
  }

  /** Those that are answered entirely. */
  List<Filter> pushed() {
    return List.copyOf(pushed);
  }

  /** Those that Spark has to look at. */
  List<Filter> residual() {
    return List.copyOf(residual);
  }

  /** The only keys to read; null for all. */
  @Nullable List<byte[]> keys() {
    return keys;
  }

  /** Fields that are columns, and have to be there. */
  Set<String> present() {
    return Set.copyOf(present);
  }

  Selection selection() {
    return new Selection(names, from, to, since, 0);
  }

  private boolean take(Filter filter) {
    if (filter instanceof EqualTo equal) {
      return equal(equal.attribute(), new Object[] {equal.value()});
    }
    if (filter instanceof EqualNullSafe equal && equal.value() != null) {
      return equal(equal.attribute(), new Object[] {equal.value()});
    }
    if (filter instanceof In in) {
      return equal(in.attribute(), in.values());
    }
    if (filter instanceof IsNotNull there) {
      return there(there.attribute());
    }
    if (filter instanceof GreaterThan more) {
      return from(more.attribute(), more.value(), false);
    }
    if (filter instanceof GreaterThanOrEqual more) {
      return from(more.attribute(), more.value(), true);
    }
    if (filter instanceof LessThan less) {
      return to(less.attribute(), less.value(), false);
    }
    if (filter instanceof LessThanOrEqual less) {
      return to(less.attribute(), less.value(), true);
    }
    return false;
  }

  private Optional<Fields.Field> field(String attribute) {
    return fields.all().stream().filter(each -> each.name().equals(attribute)).findFirst();
  }

  private boolean isSliced(Fields.Field field) {
    return sliced != null && field.role() == sliced.role();
  }

  private boolean isEnd(Filter filter) {
    return !(filter instanceof EqualTo
            || filter instanceof EqualNullSafe
            || filter instanceof In
            || filter instanceof IsNotNull)
        && Arrays.stream(filter.references())
            .allMatch(it -> field(it).filter(this::isSliced).isPresent());
  }

  private boolean equal(String attribute, @Nullable Object[] values) {
    Optional<Fields.Field> found = field(attribute);
    if (found.isEmpty()) {
      return false;
    }
    Fields.Field field = found.get();
    boolean isKey = field.role() == Fields.Role.KEY;
    if (!isKey && !isSliced(field)) {
      return false;
    }
    List<byte[]> wanted = new ArrayList<>();
    for (Object value : values) {
      if (value == null) {
        // Nothing equals it.
        continue;
      }
      Optional<byte[]> bytes = field.type().literal(value);
      if (bytes.isEmpty()) {
        return false;
      }
      if (bytes.get().length == 0 || bytes.get().length > NAME_BYTES_MAX) {
        // Nothing has such a key or name.
        continue;
      }
      if (!isKey && !field.type().isName(comparator, bytes.get())) {
        return false;
      }
      wanted.add(bytes.get());
    }
    if (isKey) {
      keys = both(keys, wanted);
    } else {
      names = both(names, wanted);
    }
    return true;
  }

  private static List<byte[]> both(@Nullable List<byte[]> known, List<byte[]> wanted) {
    Set<String> seen = new HashSet<>();
    List<byte[]> distinct = wanted.stream().filter(each -> seen.add(Bytes.id(each))).toList();
    return known == null
        ? distinct
        : known.stream().filter(each -> seen.contains(Bytes.id(each))).toList();
  }

  private boolean there(String attribute) {
    Optional<Fields.Field> field = field(attribute);
    if (field.isEmpty()) {
      return false;
    }
    if (field.get().role() == Fields.Role.COLUMN) {
      present.add(attribute);
      return true;
    }
    // A key, a name, a value of a cell always is; nothing is read for the others.
    return field.get().role() != Fields.Role.TTL
        && (fields.isCells() || field.get().role() != Fields.Role.TIMESTAMP);
  }

  private boolean from(String attribute, @Nullable Object value, boolean isInside) {
    Optional<Fields.Field> field = field(attribute);
    if (field.isPresent()
        && field.get().role() == Fields.Role.TIMESTAMP
        && fields.isCells()
        && value instanceof Long least) {
      since = since == null ? least : Math.max(since, least);
      return false;
    }
    Selection.Bound bound = bound(attribute, value, isInside);
    if (bound == null || from != null) {
      return false;
    }
    from = bound;
    return true;
  }

  private boolean to(String attribute, @Nullable Object value, boolean isInside) {
    Selection.Bound bound = bound(attribute, value, isInside);
    if (bound == null || to != null) {
      return false;
    }
    to = bound;
    return true;
  }

  private Selection.@Nullable Bound bound(
      String attribute, @Nullable Object value, boolean isInside) {
    Fields.Field field = field(attribute).filter(this::isSliced).orElse(null);
    if (field == null || value == null || !field.type().isOrderedBy(comparator)) {
      return null;
    }
    byte[] bytes = field.type().literal(value).orElse(null);
    // An empty end is none to a node.
    return Objects.isNull(bytes)
            || bytes.length == 0
            || bytes.length > NAME_BYTES_MAX
            || !field.type().isName(comparator, bytes)
        ? null
        : new Selection.Bound(bytes, isInside);
  }
}
