package dev.colonnade.client;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Standard column family whose rows are records: {@link RowMapper} says how. Made by {@link
 * Keyspace#records}, without a call. Methods wait and fail as those of {@link Entries}.
 * Thread-safe.
 *
 * <pre>{@code
 * record User(String name, @ColumnName("born in") int year, Optional<String> city) {}
 *
 * RecordFamily<String, User> users =
 *     client.keyspace("Blog").records("Users", Serializers.UTF8, RowMapper.of(User.class));
 * users.put("jsmith", new User("John Smith", 1969, Optional.of("Tulsa")));
 * System.out.println(users.get("jsmith").map(User::city)); // prints Optional[Optional[Tulsa]]
 * users.put("jsmith", new User("John Smith", 1969, Optional.empty()));
 * System.out.println(users.get("jsmith").map(User::city)); // prints Optional[Optional.empty]
 * System.out.println(users.get("nobody")); // prints Optional.empty
 * }</pre>
 */
public final class RecordFamily<K, R extends Record> {

  private final Keyspace keyspace;
  private final ColumnFamily<K, String, byte[]> columns;
  private final RowMapper<R> mapper;
  private final Slice<String> own;

  RecordFamily(Keyspace keyspace, ColumnFamily<K, String, byte[]> columns, RowMapper<R> mapper) {
    this.keyspace = keyspace;
    this.columns = columns;
    this.mapper = mapper;
    this.own = Slice.named(mapper.names());
  }

  /** The columns as they are stored: for slices, and for columns that the record does not have. */
  public ColumnFamily<K, String, byte[]> columns() {
    return columns;
  }

  /**
   * Writes a record in the place of the one that was there: columns of components that are empty
   * are removed, and others of the row stay. All or none of it is applied.
   */
  public void put(K key, R record) {
    Batch batch = keyspace.batch().insertAll(columns, key, mapper.columns(record));
    List<String> absent = mapper.absent(record);
    if (!absent.isEmpty()) {
      batch.removeRange(columns, key, Slice.named(absent));
    }
    batch.apply();
  }

  /**
   * The record of a row; empty if the row has none of its columns.
   *
   * @throws IllegalArgumentException if the row is no such record
   */
  public Optional<R> get(K key) {
    return mapper.record(columns.slice(key, own));
  }

  /**
   * The records of several rows, in the order of the keys, without those that there are not.
   *
   * @throws IllegalArgumentException if a row is no such record
   */
  public Map<K, R> multiget(Collection<K> keys) {
    Map<K, R> records = new LinkedHashMap<>();
    for (Row<K, Column<String, byte[]>> row : columns.multiget(keys, own)) {
      mapper.record(row.entries()).ifPresent(record -> records.put(row.key(), record));
    }
    return records;
  }

  /**
   * Records of a range of rows as they arrive, in the partitioner's order. Rows without a column of
   * the record are left out, also if the range is {@linkplain KeyRange#withEmptyRows with empty
   * rows}. The cursor fails with {@link IllegalArgumentException} at a row that is no such record.
   */
  public Cursor<Map.Entry<K, R>> range(KeyRange<K> keys) {
    return new Cursor<>(
        Streams.rows(
            columns.async(),
            keys.withoutEmptyRows(),
            own,
            false,
            columns
                .async()
                .rowReader(
                    (key, entries) -> Map.entry(key, mapper.record(entries).orElseThrow()))));
  }

  /** Removes the columns of a record; others of the row stay. */
  public void remove(K key) {
    columns.removeRange(key, own);
  }
}
