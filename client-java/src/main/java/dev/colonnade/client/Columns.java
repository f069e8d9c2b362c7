package dev.colonnade.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Rows of columns: a Standard family, or what lies within one super column of a Super family.
 * {@link Entries} says how calls wait and fail. Thread-safe.
 */
public sealed class Columns<K, N, V> extends Entries<K, N, Column<N, V>> permits ColumnFamily {

  private final AsyncColumns<K, N, V> async;

  Columns(AsyncColumns<K, N, V> async) {
    super(async);
    this.async = async;
  }

  @Override
  public AsyncColumns<K, N, V> async() {
    return async;
  }

  /** The same, called with other options. */
  public Columns<K, N, V> with(CallOptions options) {
    return new Columns<>(async.with(options));
  }

  /** Writes one column. */
  public void insert(K key, N name, V value) {
    async.insertCall(key, List.of(Column.of(name, value))).execute();
  }

  /** Writes columns of one row, all or none. */
  public void insertAll(K key, Map<N, V> columns) {
    async.insertCall(key, AsyncColumns.columns(columns)).execute();
  }

  /** The value of a column; empty if there is none alive. */
  public Optional<V> get(K key, N name) {
    return async.getCall(key, name).execute();
  }

  /**
   * Columns of one row as a map in the order of the slice, which cannot be changed; empty if there
   * is no such row. Names must be equal when their bytes are, as arrays are not. All are in memory
   * at once.
   */
  public Map<N, V> getAll(K key, Slice<N> slice) {
    return async.getAllCall(key, slice).execute();
  }
}
