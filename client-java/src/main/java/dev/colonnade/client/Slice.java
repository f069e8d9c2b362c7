package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which columns, or super columns, of a row are meant: those of some names, or an interval in the
 * comparator's order. Ends need not exist; {@code from} and {@code to} are in the direction of
 * travel, so that with {@link #reversed} the greater name comes first. Immutable.
 *
 * <pre>{@code
 * ColumnFamily<String, Long, String> timeline =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
 * timeline.insertAll("bob", Map.of(10L, "one", 20L, "two", 30L, "three", 40L, "four"));
 * System.out.println(timeline.getAll("bob", Slice.last(2))); // prints {40=four, 30=three}
 * Slice<Long> nextPage = Slice.after(30L).reversed().limit(2);
 * System.out.println(timeline.getAll("bob", nextPage)); // prints {20=two, 10=one}
 * System.out.println(timeline.count("bob", Slice.from(15L).before(40L))); // prints 2
 * long seen = timeline.slice("bob", Slice.last(1)).get(0).timestampMicros().getAsLong();
 * timeline.insert("bob", 10L, "edited");
 * System.out.println(timeline.getAll("bob", Slice.<Long>all().since(seen + 1))); // prints {10=edited}
 * }</pre>
 */
public final class Slice<N> {

  private static final int NO_LIMIT = -1;

  /** No timestamp is less. */
  private static final long ANY_TIME = Long.MIN_VALUE;

  private final @Nullable List<N> names;
  private final @Nullable N from;
  private final boolean fromExclusive;
  private final @Nullable N to;
  private final boolean toExclusive;
  private final boolean reversed;
  private final int limit;
  private final long minTimestamp;

  private Slice(
      @Nullable List<N> names,
      @Nullable N from,
      boolean fromExclusive,
      @Nullable N to,
      boolean toExclusive,
      boolean reversed,
      int limit,
      long minTimestamp) {
    this.names = names;
    this.from = from;
    this.fromExclusive = fromExclusive;
    this.to = to;
    this.toExclusive = toExclusive;
    this.reversed = reversed;
    this.limit = limit;
    this.minTimestamp = minTimestamp;
  }

  /** Everything, ascending. */
  public static <N> Slice<N> all() {
    return new Slice<>(null, null, false, null, false, false, NO_LIMIT, ANY_TIME);
  }

  /** The smallest names, up to a limit, ascending. */
  public static <N> Slice<N> first(int limit) {
    return Slice.<N>all().limit(limit);
  }

  /** The greatest names, up to a limit, descending: with names that are times, the newest. */
  public static <N> Slice<N> last(int limit) {
    return Slice.<N>all().reversed().limit(limit);
  }

  /** From this name on, itself included. */
  public static <N> Slice<N> from(N name) {
    return new Slice<>(null, name, false, null, false, false, NO_LIMIT, ANY_TIME);
  }

  /** What follows this name: the next page after it. */
  public static <N> Slice<N> after(N name) {
    return new Slice<>(null, name, true, null, false, false, NO_LIMIT, ANY_TIME);
  }

  /**
   * Those of these names; absent ones are left out, and answers are in comparator order. Such a
   * slice takes no ends, no direction and no limit ({@link IllegalStateException}).
   */
  public static <N> Slice<N> named(Collection<N> names) {
    return new Slice<>(List.copyOf(names), null, false, null, false, false, NO_LIMIT, ANY_TIME);
  }

  /** Ends at this name, itself included. */
  public Slice<N> to(N name) {
    requireInterval();
    return new Slice<>(null, from, fromExclusive, name, false, reversed, limit, minTimestamp);
  }

  /** Ends before this name. */
  public Slice<N> before(N name) {
    requireInterval();
    return new Slice<>(null, from, fromExclusive, name, true, reversed, limit, minTimestamp);
  }

  /** Travels from the greatest name to the smallest. */
  public Slice<N> reversed() {
    requireInterval();
    return new Slice<>(null, from, fromExclusive, to, toExclusive, true, limit, minTimestamp);
  }

  /**
   * At most this many of each row.
   *
   * @throws IllegalArgumentException if negative
   */
  public Slice<N> limit(int most) {
    requireInterval();
    if (most < 0) {
      throw new IllegalArgumentException("a limit is 0 or more; got " + most);
    }
    return new Slice<>(null, from, fromExclusive, to, toExclusive, reversed, most, minTimestamp);
  }

  /**
   * Only columns with this timestamp or a greater one, also of {@link #named} ones: what was
   * written since a moment, if timestamps are times, as those of this client are. What was deleted
   * is not shown. Of a super column only such columns come, and without any it is left out; limits
   * and counts are of what passes. To continue after the greatest timestamp that was seen, ask for
   * it again: a batch gives all its columns the same. Such a slice cannot be removed. A node that
   * is older than this selection ignores it.
   *
   * @param timestampMicros as of a {@link Column}
   */
  public Slice<N> since(long timestampMicros) {
    return new Slice<>(
        names, from, fromExclusive, to, toExclusive, reversed, limit, timestampMicros);
  }

  SlicePredicate predicate(Serializer<N> serializer) {
    SlicePredicate.Builder predicate = SlicePredicate.newBuilder();
    if (minTimestamp != ANY_TIME) {
      predicate.setMinTimestamp(minTimestamp);
    }
    if (names != null) {
      ColumnNames.Builder list = ColumnNames.newBuilder();
      names.forEach(name -> list.addNames(Bytes.of(serializer, name)));
      return predicate.setColumnNames(list).build();
    }
    SliceRange.Builder range =
        SliceRange.newBuilder()
            .setStart(from == null ? ByteString.EMPTY : Bytes.of(serializer, from))
            .setFinish(to == null ? ByteString.EMPTY : Bytes.of(serializer, to))
            .setStartExclusive(fromExclusive)
            .setFinishExclusive(toExclusive)
            .setReversed(reversed);
    if (limit != NO_LIMIT) {
      range.setCount(limit);
    }
    return predicate.setSliceRange(range).build();
  }

  private void requireInterval() {
    if (names != null) {
      throw new IllegalStateException("a slice of names has no ends, no direction and no limit");
    }
  }
}
