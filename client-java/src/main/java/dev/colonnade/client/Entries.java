package dev.colonnade.client;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Rows of named entries in the comparator's order: the super columns of a family, or the columns of
 * a family or of one super column. Methods wait for the answer, at most for the deadline of the
 * {@link CallOptions}, and throw {@link ColonnadeException}. Thread-safe.
 *
 * <p>Writes and removals without a timestamp get one from the client's clock, which never goes
 * back, so that of two changes by one client the later wins.
 *
 * @param <E> names of entries
 * @param <C> entries
 */
public abstract sealed class Entries<K, E, C> permits Columns, SuperColumnFamily {

  private final AsyncEntries<K, E, C> async;

  Entries(AsyncEntries<K, E, C> async) {
    this.async = async;
  }

  /** The same with futures. */
  public AsyncEntries<K, E, C> async() {
    return async;
  }

  /** Writes one entry; of a super column, the columns that it holds. */
  public void insert(K key, C entry) {
    async.insertCall(key, List.of(entry)).execute();
  }

  /** Writes entries of one row, all or none. */
  public void insertAll(K key, Collection<C> entries) {
    async.insertCall(key, entries).execute();
  }

  /** The entry of that name; empty if there is none alive. */
  public Optional<C> find(K key, E name) {
    return async.findCall(key, name).execute();
  }

  /**
   * Entries of one row; none if there is no such row. All are in memory at once: for long answers
   * there is {@link #stream}.
   */
  public List<C> slice(K key, Slice<E> slice) {
    return async.sliceCall(key, slice).execute();
  }

  /**
   * The same entries of several rows: one {@link Row} for each distinct key, in the order of first
   * appearance, also where nothing was found.
   */
  public List<Row<K, C>> multiget(Collection<K> keys, Slice<E> slice) {
    return async.multigetCall(keys, slice).execute();
  }

  /** How many entries of a row there are in a slice. */
  public long count(K key, Slice<E> slice) {
    return async.countCall(key, slice).execute();
  }

  /**
   * How many entries several rows have in a slice: one {@link KeyCount} for each distinct key, in
   * the order of first appearance, also where it is 0.
   */
  public List<KeyCount<K>> multigetCount(Collection<K> keys, Slice<E> slice) {
    return async.multigetCountCall(keys, slice).execute();
  }

  /** Removes all entries of a row. Removing something that does not exist succeeds. */
  public void remove(K key) {
    async.removeCall(key, null).execute();
  }

  /** Removes the entry of that name. Removing something that does not exist succeeds. */
  public void remove(K key, E name) {
    async.removeCall(key, Slice.named(List.of(name))).execute();
  }

  /**
   * Removes all entries of a slice, which has neither a limit nor a direction: entries between the
   * ends that arrive later with an older timestamp are hidden too.
   */
  public void removeRange(K key, Slice<E> slice) {
    async.removeCall(key, slice).execute();
  }

  /** Entries of one row as they arrive, however many there are. A super column comes as a whole. */
  public Cursor<C> stream(K key, Slice<E> slice) {
    return new Cursor<>(async.stream(key, slice));
  }

  /**
   * Rows of a key range as they arrive, in the partitioner's order, without those where the slice
   * finds nothing, unless {@link KeyRange#withEmptyRows} is asked for. A row is in memory as a
   * whole: limit the slice where rows are long.
   */
  public Cursor<Row<K, C>> range(KeyRange<K> keys, Slice<E> slice) {
    return new Cursor<>(async.range(keys, slice));
  }

  /** Keys of the rows of a range that have an entry here, in the partitioner's order. */
  public Cursor<K> keys(KeyRange<K> keys) {
    return new Cursor<>(async.keys(keys));
  }
}
