package dev.colonnade.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Super column family whose super columns are records: each row is a sorted map of them. {@link
 * RowMapper} says how a record becomes columns. Made by {@link Keyspace#superRecords}, without a
 * call. Methods wait and fail as those of {@link Entries}. Thread-safe.
 *
 * <pre>{@code
 * record Comment(String author, String text) {}
 *
 * SuperRecordFamily<String, UUID, Comment> comments =
 *     client
 *         .keyspace("Blog")
 *         .superRecords(
 *             "Comments", Serializers.UTF8, Serializers.TIME_UUID, RowMapper.of(Comment.class));
 * comments.put("a-post", client.timeUuids().now(), new Comment("Bob", "Nice!"));
 * comments.put("a-post", client.timeUuids().now(), new Comment("Joe", "Well…"));
 * for (Comment comment : comments.slice("a-post", Slice.last(10)).values()) {
 *   System.out.println(comment.author());
 * }
 * // prints Joe
 * // prints Bob
 * }</pre>
 */
public final class SuperRecordFamily<K, S, R extends Record> {

  private final Keyspace keyspace;
  private final SuperColumnFamily<K, S, String, byte[]> superColumns;
  private final RowMapper<R> mapper;

  SuperRecordFamily(
      Keyspace keyspace,
      SuperColumnFamily<K, S, String, byte[]> superColumns,
      RowMapper<R> mapper) {
    this.keyspace = keyspace;
    this.superColumns = superColumns;
    this.mapper = mapper;
  }

  /** The super columns as they are stored. */
  public SuperColumnFamily<K, S, String, byte[]> superColumns() {
    return superColumns;
  }

  /**
   * Writes a record in the place of the one that was there: columns of components that are empty
   * are removed, and others of the super column stay. All or none of it is applied.
   */
  public void put(K key, S name, R record) {
    Columns<K, String, byte[]> within = superColumns.within(name);
    Batch batch = keyspace.batch().insertAll(within, key, mapper.columns(record));
    List<String> absent = mapper.absent(record);
    if (!absent.isEmpty()) {
      batch.removeRange(within, key, Slice.named(absent));
    }
    batch.apply();
  }

  /**
   * The record of a super column; empty if it has none of its columns.
   *
   * @throws IllegalArgumentException if the super column is no such record
   */
  public Optional<R> get(K key, S name) {
    return mapper.record(superColumns.within(name).slice(key, Slice.named(mapper.names())));
  }

  /**
   * Records of a row by the names of their super columns, in the order of the slice. All are in
   * memory at once.
   *
   * @throws IllegalArgumentException if a super column is no such record
   */
  public Map<S, R> slice(K key, Slice<S> slice) {
    Map<S, R> records = new LinkedHashMap<>();
    for (SuperColumn<S, String, byte[]> found : superColumns.slice(key, slice)) {
      mapper.record(found.columns()).ifPresent(record -> records.put(found.name(), record));
    }
    return records;
  }

  /** Removes a super column, with columns that the record does not have. */
  public void remove(K key, S name) {
    superColumns.remove(key, name);
  }
}
