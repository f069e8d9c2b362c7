package dev.colonnade.client;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A Super column family: rows of super columns. {@link #within} is one level down, with everything
 * that columns have; the methods with a super column's name are short for it. Made by {@link
 * Keyspace#superColumnFamily}, without asking a node. Thread-safe.
 *
 * <pre>{@code
 * SuperColumnFamily<String, UUID, String, String> comments =
 *     client
 *         .keyspace("Blog")
 *         .superColumnFamily(
 *             "Comments",
 *             Serializers.UTF8,
 *             Serializers.TIME_UUID,
 *             Serializers.UTF8,
 *             Serializers.UTF8);
 * UUID first = client.timeUuids().now();
 * comments.insert("a-post", SuperColumn.of(first, Map.of("author", "Bob", "text", "Nice!")));
 * UUID second = client.timeUuids().now();
 * comments.insert("a-post", second, "author", "Joe");
 * for (SuperColumn<UUID, String, String> comment : comments.slice("a-post", Slice.last(10))) {
 *   System.out.println(comment.asMap());
 * }
 * // prints {author=Joe}
 * // prints {author=Bob, text=Nice!}
 * System.out.println(comments.get("a-post", first, "text")); // prints Optional[Nice!]
 * System.out.println(comments.within(first).count("a-post", Slice.all())); // prints 2
 * }</pre>
 */
public final class SuperColumnFamily<K, S, N, V> extends Entries<K, S, SuperColumn<S, N, V>> {

  private final AsyncSuperColumnFamily<K, S, N, V> async;

  SuperColumnFamily(AsyncSuperColumnFamily<K, S, N, V> async) {
    super(async);
    this.async = async;
  }

  @Override
  public AsyncSuperColumnFamily<K, S, N, V> async() {
    return async;
  }

  /** The same, called with other options. */
  public SuperColumnFamily<K, S, N, V> with(CallOptions options) {
    return new SuperColumnFamily<>(async.with(options));
  }

  /** The columns within the super column of that name, of every row. */
  public Columns<K, N, V> within(S superColumn) {
    return new Columns<>(async.within(superColumn));
  }

  /** Writes one column. */
  public void insert(K key, S superColumn, N name, V value) {
    within(superColumn).insert(key, name, value);
  }

  /** A super column with all its columns; empty if none is alive. */
  public Optional<SuperColumn<S, N, V>> get(K key, S superColumn) {
    return find(key, superColumn);
  }

  /** The value of a column; empty if there is none alive. */
  public Optional<V> get(K key, S superColumn, N name) {
    return within(superColumn).get(key, name);
  }

  /** Columns of one super column. */
  public List<Column<N, V>> slice(K key, S superColumn, Slice<N> slice) {
    return within(superColumn).slice(key, slice);
  }

  /** Removes one column. Removing something that does not exist succeeds. */
  public void remove(K key, S superColumn, N name) {
    within(superColumn).remove(key, name);
  }

  /**
   * Loads rows into the answering node's row cache and their positions into its key cache. A hint,
   * with no effect on answers.
   *
   * @return how many of the keys were found in data files
   */
  public int touch(Collection<K> keys) {
    return Transport.await(async.touch(keys));
  }

  /** Empties the family on all nodes, deletions included. This cannot be undone. */
  public void truncate() {
    Transport.await(async.truncate());
  }
}
