package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@link Columns} with futures. Thread-safe. */
public sealed class AsyncColumns<K, N, V> extends AsyncEntries<K, N, Column<N, V>>
    permits AsyncColumnFamily {

  final Serializer<V> values;

  AsyncColumns(ColumnParentRef<K> place, Serializer<N> names, Serializer<V> values) {
    super(place, names);
    this.values = values;
  }

  /** As {@link Columns#insert(Object, Object, Object)}. */
  public CompletableFuture<@Nullable Void> insert(K key, N name, V value) {
    return insert(key, Column.of(name, value));
  }

  /** As {@link Columns#insertAll(Object, Map)}. */
  public CompletableFuture<@Nullable Void> insertAll(K key, Map<N, V> columns) {
    return insertAll(key, columns(columns));
  }

  /** As {@link Columns#get}. */
  public CompletableFuture<Optional<V>> get(K key, N name) {
    return getCall(key, name).start();
  }

  Call<Optional<V>> getCall(K key, N name) {
    return findCall(key, name).map(found -> found.map(Column::value));
  }

  /** As {@link Columns#getAll}. */
  public CompletableFuture<Map<N, V>> getAll(K key, Slice<N> slice) {
    return getAllCall(key, slice).start();
  }

  Call<Map<N, V>> getAllCall(K key, Slice<N> slice) {
    return sliceCall(key, slice).map(Column::asMap);
  }

  AsyncColumns<K, N, V> with(CallOptions options) {
    return new AsyncColumns<>(place.with(options), names, values);
  }

  static <N, V> Collection<Column<N, V>> columns(Map<N, V> columns) {
    return columns.entrySet().stream()
        .map(column -> Column.of(column.getKey(), column.getValue()))
        .toList();
  }

  @Override
  EntryReader<Column<N, V>> reader() {
    return new ColumnsReader<>(new ColumnReader<>(names, values));
  }

  @Override
  ColumnOrSuperColumn encode(Column<N, V> entry, long timestampMicros) {
    dev.colonnade.v1.Column column = message(entry, timestampMicros);
    ByteString superColumn = place.superColumn();
    ColumnOrSuperColumn.Builder message = ColumnOrSuperColumn.newBuilder();
    if (superColumn == null) {
      return message.setColumn(column).build();
    }
    message.getSuperColumnBuilder().setName(superColumn).addColumns(column);
    return message.build();
  }

  dev.colonnade.v1.Column message(Column<N, V> column, long timestampMicros) {
    dev.colonnade.v1.Column.Builder message =
        dev.colonnade.v1.Column.newBuilder()
            .setName(Bytes.of(names, column.name()))
            .setValue(Bytes.of(values, column.value()))
            .setTimestamp(column.timestampMicros().orElse(timestampMicros));
    column.ttl().ifPresent(ttl -> message.setTtlSeconds(Math.toIntExact(ttl.toSeconds())));
    return message.build();
  }
}
