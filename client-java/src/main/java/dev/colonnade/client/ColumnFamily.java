package dev.colonnade.client;

import java.util.Collection;

/**
 * A Standard column family: rows of columns. Made by {@link Keyspace#columnFamily}, without a call;
 * whether the family exists shows in the first call. Thread-safe.
 *
 * <pre>{@code
 * ColumnFamily<String, String, String> users =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * users.insertAll("jsmith", Map.of("first", "John", "last", "Smith"));
 * users.insert("jsmith", Column.of("session", "open").withTtl(Duration.ofHours(1)));
 * System.out.println(users.get("jsmith", "last")); // prints Optional[Smith]
 * users.remove("jsmith", "session");
 * System.out.println(users.getAll("jsmith", Slice.all())); // prints {first=John, last=Smith}
 * for (Row<String, Column<String, String>> row :
 *     users.multiget(List.of("jsmith", "nobody"), Slice.named(List.of("first")))) {
 *   System.out.println(row.key() + " " + row.get("first").map(Column::value));
 * }
 * // prints jsmith Optional[John]
 * // prints nobody Optional.empty
 * }</pre>
 */
public final class ColumnFamily<K, N, V> extends Columns<K, N, V> {

  private final AsyncColumnFamily<K, N, V> async;

  ColumnFamily(AsyncColumnFamily<K, N, V> async) {
    super(async);
    this.async = async;
  }

  @Override
  public AsyncColumnFamily<K, N, V> async() {
    return async;
  }

  @Override
  public ColumnFamily<K, N, V> with(CallOptions options) {
    return new ColumnFamily<>(async.with(options));
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
