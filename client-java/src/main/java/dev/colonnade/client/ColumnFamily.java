package dev.colonnade.client;

import java.util.Collection;

/**
 * A Standard column family: rows of columns. Made by {@link Keyspace#columnFamily}, without asking
 * a node; that there is none of this name shows in the first call. Thread-safe.
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

  /** Empties the family on all nodes, deletions included. There is no way back. */
  public void truncate() {
    Transport.await(async.truncate());
  }
}
