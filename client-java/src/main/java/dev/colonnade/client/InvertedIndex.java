package dev.colonnade.client;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Finds rows by the value of one of their columns: a second family has a row for each value, whose
 * columns are named by the keys of the rows that have it, in the order of that family's comparator.
 * Thread-safe; methods wait and fail as those of {@link Entries}.
 *
 * <p>{@link #put} writes column and index in one batch. Rows are written independently, so after a
 * failure, or when two programs change one column at the same time, the index may have an entry
 * that is not true any more; it lacks none that is, once the batch has been applied. So {@link
 * #find} looks at each row and leaves out what is not true, and {@link #sweep} removes it. Read and
 * write at {@link Consistency#QUORUM} where what was put must be found at once.
 *
 * <pre>{@code
 * Keyspace blog = client.keyspace("Blog");
 * client.schema()
 *     .createIfAbsent("Blog", ColumnFamilyDefinition.standard("UsersByCity", Comparators.UTF8));
 * InvertedIndex<String, String, String> cities =
 *     new InvertedIndex<>(
 *         blog,
 *         blog.columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8),
 *         "city",
 *         blog.columnFamily("UsersByCity", Serializers.UTF8, Serializers.UTF8, Serializers.BYTES));
 * cities.put("jsmith", "Tulsa");
 * cities.put("bob", "Oslo");
 * cities.put("ann", "Tulsa");
 * cities.put("jsmith", "Oslo");
 * System.out.println(cities.find("Oslo", 10)); // prints [bob, jsmith]
 * System.out.println(cities.find("Tulsa", 10)); // prints [ann]
 * }</pre>
 *
 * @param <K> keys of the rows that are found; equal when their bytes are, as arrays are not
 * @param <N> names of their columns
 * @param <V> values of the column; none that has no bytes, as no row has an empty key
 */
public final class InvertedIndex<K, N, V> {

  private static final byte[] NOTHING = new byte[0];

  /** Entries that are looked at together. */
  private static final int PAGE = 100;

  private final Keyspace keyspace;
  private final ColumnFamily<K, N, V> rows;
  private final N column;
  private final ColumnFamily<V, K, byte[]> index;

  /**
   * An index of one column.
   *
   * @param keyspace has both families
   * @param rows the family whose rows are found
   * @param column the name of the column
   * @param index the family that is the index, and nothing else. Its comparator orders keys of rows
   */
  public InvertedIndex(
      Keyspace keyspace, ColumnFamily<K, N, V> rows, N column, ColumnFamily<V, K, byte[]> index) {
    this.keyspace = keyspace;
    this.rows = rows;
    this.column = column;
    this.index = index;
  }

  /** Writes the column of a row, and the index; of the value that was there, the entry goes. */
  public void put(K key, V value) {
    Optional<V> before = rows.get(key, column);
    Batch batch = batch();
    before
        .filter(old -> !Objects.deepEquals(old, value))
        .ifPresent(old -> batch.remove(index, old, key));
    batch.insert(index, value, key, NOTHING).insert(rows, key, column, value).apply();
  }

  /** Removes the column of a row, and its entry of the index. */
  public void remove(K key) {
    Optional<V> before = rows.get(key, column);
    Batch batch = batch().remove(rows, key, column);
    before.ifPresent(old -> batch.remove(index, old, key));
    batch.apply();
  }

  /**
   * A batch with one timestamp for all of it. So of two changes that are made at the same time, the
   * one whose value is the row's in the end also has the last word on the index.
   */
  private Batch batch() {
    ColumnParentRef<K> place = rows.async().place;
    CallOptions options = place.options();
    long timestampMicros =
        options.timestampMicros().orElseGet(() -> place.context().timestamps().next());
    return keyspace.with(options.withTimestamp(timestampMicros)).batch();
  }

  /** The first keys of rows whose column has this value, in the order of the index. */
  public List<K> find(V value, int limit) {
    return find(value, Slice.all(), limit);
  }

  /** Those that come after a key: the page after one that ended with it. */
  public List<K> findAfter(V value, K last, int limit) {
    return find(value, Slice.after(last), limit);
  }

  private List<K> find(V value, Slice<K> from, int limit) {
    List<K> found = new ArrayList<>();
    Slice<K> rest = from;
    while (found.size() < limit) {
      List<Column<K, byte[]>> entries = index.slice(value, rest.limit(PAGE));
      List<K> kept = trueOf(value, entries);
      entries.stream()
          .map(Column::name)
          .filter(kept::contains)
          .limit(limit - found.size())
          .forEach(found::add);
      if (entries.size() < PAGE) {
        break;
      }
      rest = Slice.after(entries.get(entries.size() - 1).name());
    }
    return List.copyOf(found);
  }

  /** The keys of those entries whose rows have the value. */
  private List<K> trueOf(V value, List<Column<K, byte[]>> entries) {
    if (entries.isEmpty()) {
      return List.of();
    }
    return rows
        .multiget(entries.stream().map(Column::name).toList(), Slice.named(List.of(column)))
        .stream()
        .filter(row -> !row.isEmpty() && Objects.deepEquals(row.entries().get(0).value(), value))
        .map(Row::key)
        .toList();
  }

  /**
   * Removes entries of a value that are not true any more.
   *
   * @param age younger entries stay: the row of one that is being put may not be written yet. A
   *     minute is far more than a call takes
   * @return how many were removed
   */
  public long sweep(V value, Duration age) {
    long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().minus(age));
    long removed = 0;
    Slice<K> rest = Slice.all();
    while (true) {
      List<Column<K, byte[]>> entries = index.slice(value, rest.limit(PAGE));
      List<K> kept = trueOf(value, entries);
      for (Column<K, byte[]> entry : entries) {
        long written = entry.timestampMicros().orElse(Long.MAX_VALUE);
        if (written < before && !kept.contains(entry.name())) {
          // With the entry's own timestamp: one that is put again meanwhile is newer, and stays.
          index
              .with(index.async().place.options().withTimestamp(written))
              .remove(value, entry.name());
          removed++;
        }
      }
      if (entries.size() < PAGE) {
        return removed;
      }
      rest = Slice.after(entries.get(entries.size() - 1).name());
    }
  }
}
