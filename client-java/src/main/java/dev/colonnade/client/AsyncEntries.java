package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetCountResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetCountResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.SlicePredicate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * {@link Entries} with futures. They fail with the exceptions that the waiting methods throw, and
 * cancelling one ends its call. Their dependent actions run on a thread of the client's or of the
 * common pool, unless they name an executor, and should not block. Thread-safe.
 *
 * <pre>{@code
 * ColumnFamily<String, String, String> users =
 *     client
 *         .keyspace("Blog")
 *         .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * AsyncColumnFamily<String, String, String> async = users.async();
 * CompletableFuture<Optional<String>> city =
 *     async.insert("ann", "city", "Oslo").thenCompose(done -> async.get("ann", "city"));
 * CompletableFuture<Long> columns = async.count("bob", Slice.all());
 * System.out.println(city.join()); // prints Optional[Oslo]
 * System.out.println(columns.join()); // prints 0
 * }</pre>
 *
 * @param <E> names of entries
 * @param <C> entries
 */
public abstract sealed class AsyncEntries<K, E, C> permits AsyncColumns, AsyncSuperColumnFamily {

  final ColumnParentRef<K> place;
  final Serializer<E> names;

  /** The place as reads name it; the same for each of them, so it is made once. */
  private final ColumnParent parent;

  AsyncEntries(ColumnParentRef<K> place, Serializer<E> names) {
    this.place = place;
    this.names = names;
    this.parent = place.parent();
  }

  /** Reads the entries of one answer. */
  abstract EntryReader<C> reader();

  /**
   * The entry as a message.
   *
   * @param timestampMicros for entries without one of their own
   */
  abstract ColumnOrSuperColumn encode(C entry, long timestampMicros);

  /** As {@link Entries#insert}. */
  public CompletableFuture<@Nullable Void> insert(K key, C entry) {
    return insertAll(key, List.of(entry));
  }

  /** As {@link Entries#insertAll}. */
  public CompletableFuture<@Nullable Void> insertAll(K key, Collection<C> entries) {
    return insertCall(key, entries).start();
  }

  Call<@Nullable Void> insertCall(K key, Collection<C> entries) {
    Changes changes = new Changes(place.context().timestamps(), place.options());
    changes.insert(this, key, entries);
    return changes.call(place.context(), place.keyspace());
  }

  /** As {@link Entries#find}. */
  public CompletableFuture<Optional<C>> find(K key, E name) {
    return findCall(key, name).start();
  }

  Call<Optional<C>> findCall(K key, E name) {
    return sliceCall(key, Slice.named(List.of(name))).map(found -> found.stream().findFirst());
  }

  /** As {@link Entries#slice}. */
  public CompletableFuture<List<C>> slice(K key, Slice<E> slice) {
    return sliceCall(key, slice).start();
  }

  Call<List<C>> sliceCall(K key, Slice<E> slice) {
    GetSliceRequest first =
        GetSliceRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setKey(place.key(key))
            .setColumnParent(parent)
            .setPredicate(slice.predicate(names))
            .setOptions(place.options().read())
            .build();
    EntryReader<C> reader = reader();
    List<C> entries = new ArrayList<>();
    return place
        .context()
        .transport()
        .pages(
            place.read(AnswerPart.GET_SLICE, first),
            page -> {
              place.options().report(page.stats());
              reader.read(page, entries);
              String token = page.token();
              return token.isEmpty() ? null : first.toBuilder().setPageToken(token).build();
            },
            () -> {
              reader.end(entries);
              return List.copyOf(entries);
            });
  }

  /** As {@link Entries#multiget}. */
  public CompletableFuture<List<Row<K, C>>> multiget(Collection<K> keys, Slice<E> slice) {
    return multigetCall(keys, slice).start();
  }

  Call<List<Row<K, C>>> multigetCall(Collection<K> keys, Slice<E> slice) {
    MultigetSliceRequest.Builder request =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setColumnParent(parent)
            .setPredicate(slice.predicate(names))
            .setOptions(place.options().read());
    keys.forEach(key -> request.addKeys(place.key(key)));
    MultigetSliceRequest first = request.build();
    RowReader<C, Row<K, C>> reader = rowReader();
    List<Row<K, C>> rows = new ArrayList<>();
    return place
        .context()
        .transport()
        .pages(
            place.read(AnswerPart.MULTIGET_SLICE, first),
            page -> {
              place.options().report(page.stats());
              reader.read(page, rows);
              String token = page.token();
              return token.isEmpty() ? null : first.toBuilder().setPageToken(token).build();
            },
            () -> {
              reader.end(rows);
              return List.copyOf(rows);
            });
  }

  /** As {@link Entries#count}. */
  public CompletableFuture<Long> count(K key, Slice<E> slice) {
    return countCall(key, slice).start();
  }

  Call<Long> countCall(K key, Slice<E> slice) {
    GetCountRequest request =
        GetCountRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setKey(place.key(key))
            .setColumnParent(parent)
            .setPredicate(slice.predicate(names))
            .setOptions(place.options().read())
            .build();
    return place
        .context()
        .transport()
        .prepare(place.read(ColumnStoreServiceGrpc.getGetCountMethod(), request))
        .map(
            (GetCountResponse answer) -> {
              place.options().report(answer.hasStats(), answer.getStats());
              return answer.getCount();
            });
  }

  /** As {@link Entries#multigetCount}. */
  public CompletableFuture<List<KeyCount<K>>> multigetCount(Collection<K> keys, Slice<E> slice) {
    return multigetCountCall(keys, slice).start();
  }

  Call<List<KeyCount<K>>> multigetCountCall(Collection<K> keys, Slice<E> slice) {
    MultigetCountRequest.Builder request =
        MultigetCountRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setColumnParent(parent)
            .setPredicate(slice.predicate(names))
            .setOptions(place.options().read());
    keys.forEach(key -> request.addKeys(place.key(key)));
    return place
        .context()
        .transport()
        .prepare(place.read(ColumnStoreServiceGrpc.getMultigetCountMethod(), request.build()))
        .map(
            (MultigetCountResponse answer) -> {
              place.options().report(answer.hasStats(), answer.getStats());
              return answer.getCountsList().stream()
                  .map(
                      each ->
                          new KeyCount<>(Bytes.read(place.keys(), each.getKey()), each.getCount()))
                  .toList();
            });
  }

  /** As {@link Entries#stream}, without a thread that waits. */
  public AsyncCursor<C> stream(K key, Slice<E> slice) {
    return Streams.slice(this, key, slice);
  }

  /** As {@link Entries#range}, without a thread that waits. */
  public AsyncCursor<Row<K, C>> range(KeyRange<K> keys, Slice<E> slice) {
    return Streams.rows(this, keys, slice, false, rowReader());
  }

  /** As {@link Entries#keys}, without a thread that waits. */
  public AsyncCursor<K> keys(KeyRange<K> keys) {
    return Streams.rows(this, keys, Slice.all(), true, rowReader((key, entries) -> key));
  }

  /**
   * As {@link #stream}, for libraries of reactive streams. Each subscriber has a read of its own,
   * which begins with its first request. It gets what it requests and not more, one element after
   * another, and a {@link ColonnadeException} if the read fails; the deadline of the {@link
   * CallOptions} is for each part, while it is waited for.
   */
  public Flow.Publisher<C> publish(K key, Slice<E> slice) {
    return new CursorPublisher<>(() -> stream(key, slice));
  }

  /** As {@link #range}, for libraries of reactive streams; see {@link #publish}. */
  public Flow.Publisher<Row<K, C>> publishRange(KeyRange<K> keys, Slice<E> slice) {
    return new CursorPublisher<>(() -> range(keys, slice));
  }

  /** As {@link #keys}, for libraries of reactive streams; see {@link #publish}. */
  public Flow.Publisher<K> publishKeys(KeyRange<K> keys) {
    return new CursorPublisher<>(() -> keys(keys));
  }

  /** As {@link Entries#remove(Object)}. */
  public CompletableFuture<@Nullable Void> remove(K key) {
    return removeCall(key, null).start();
  }

  /** As {@link Entries#remove(Object, Object)}. */
  public CompletableFuture<@Nullable Void> remove(K key, E name) {
    return removeRange(key, Slice.named(List.of(name)));
  }

  /** As {@link Entries#removeRange}. */
  public CompletableFuture<@Nullable Void> removeRange(K key, Slice<E> slice) {
    return removeCall(key, slice).start();
  }

  /**
   * A removal.
   *
   * @param slice null for the whole row
   */
  Call<@Nullable Void> removeCall(K key, @Nullable Slice<E> slice) {
    Changes changes = new Changes(place.context().timestamps(), place.options());
    changes.remove(this, key, slice == null ? null : slice.predicate(names));
    return changes.call(place.context(), place.keyspace());
  }

  /**
   * A removal under this place.
   *
   * @param predicate null for all there is
   */
  Mutation removal(@Nullable SlicePredicate predicate, long timestampMicros) {
    Deletion.Builder deletion = Deletion.newBuilder().setTimestamp(timestampMicros);
    ByteString superColumn = place.superColumn();
    if (superColumn != null) {
      deletion.setSuperColumn(superColumn);
    }
    if (predicate != null) {
      deletion.setPredicate(predicate);
    }
    return Mutation.newBuilder().setDeletion(deletion).build();
  }

  private RowReader<C, Row<K, C>> rowReader() {
    return rowReader(Row::new);
  }

  /**
   * Reads the rows of one answer.
   *
   * @param row makes what is returned of a row; does not keep the list of its entries
   */
  <T> RowReader<C, T> rowReader(BiFunction<K, List<C>, T> row) {
    return new RowReader<>(
        reader(), (key, entries) -> row.apply(place.keys().fromBytes(key), entries));
  }
}
