package dev.colonnade.client;

import dev.colonnade.v1.BatchMutateRequest;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Changes to any rows and families of one keyspace, in one call. A node checks all before it
 * applies any; changes of one key are applied together, changes of different keys are independent.
 *
 * <p>Each change gets its timestamp when it is added: of two that touch the same column, the later
 * wins, and applying the batch again after an error is safe. At most 10,000 rows and 100,000
 * changes. Not thread-safe.
 *
 * <pre>{@code
 * Keyspace blog = client.keyspace("Blog");
 * ColumnFamily<String, String, String> users =
 *     blog.columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * ColumnFamily<String, Long, String> timeline =
 *     blog.columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
 * Batch tweet = blog.batch().remove(users, "draft").insert(users, "bob", "last tweet", "hello");
 * for (String follower : List.of("ann", "joe")) {
 *   tweet.insert(timeline, follower, 1_280_000_000L, "bob: hello");
 * }
 * tweet.apply();
 * System.out.println(timeline.get("joe", 1_280_000_000L)); // prints Optional[bob: hello]
 * }</pre>
 */
public final class Batch {

  private final ClientContext context;
  private final String keyspace;
  private final Changes changes;

  Batch(ClientContext context, String keyspace, CallOptions options) {
    this.context = context;
    this.keyspace = keyspace;
    this.changes = new Changes(context.timestamps(), options);
  }

  /** Writes one column. */
  public <K, N, V> Batch insert(Columns<K, N, V> into, K key, N name, V value) {
    return insert(into, key, Column.of(name, value));
  }

  /** Writes one column, or the columns of one super column. */
  public <K, E, C> Batch insert(Entries<K, E, C> into, K key, C entry) {
    return insertAll(into, key, List.of(entry));
  }

  /** Writes columns, or super columns, of one row. */
  public <K, E, C> Batch insertAll(Entries<K, E, C> into, K key, Collection<C> entries) {
    changes.insert(ours(into), key, entries);
    return this;
  }

  /** Removes all entries of a row. */
  public <K, E, C> Batch remove(Entries<K, E, C> from, K key) {
    changes.remove(ours(from), key, null);
    return this;
  }

  /** Removes one entry. */
  public <K, E, C> Batch remove(Entries<K, E, C> from, K key, E name) {
    return removeRange(from, key, Slice.named(List.of(name)));
  }

  /** Removes all entries of a slice, which has neither a limit nor a direction. */
  public <K, E, C> Batch removeRange(Entries<K, E, C> from, K key, Slice<E> slice) {
    AsyncEntries<K, E, C> place = ours(from);
    changes.remove(place, key, slice.predicate(place.names));
    return this;
  }

  /**
   * Applies everything added so far, and waits.
   *
   * @throws ColonnadeException whose {@code applied} says whether anything may have been applied
   */
  public void apply() {
    changes.call(context, keyspace).execute();
  }

  /** Applies everything added so far. */
  public CompletableFuture<@Nullable Void> applyAsync() {
    return changes.call(context, keyspace).start();
  }

  String keyspace() {
    return keyspace;
  }

  BatchMutateRequest message() {
    return changes.message(keyspace);
  }

  private <K, E, C> AsyncEntries<K, E, C> ours(Entries<K, E, C> entries) {
    ColumnParentRef<K> place = entries.async().place;
    if (!place.keyspace().equals(keyspace)) {
      throw new IllegalArgumentException(
          place.family() + " is of " + place.keyspace() + ", and this batch is for " + keyspace);
    }
    return entries.async();
  }
}
