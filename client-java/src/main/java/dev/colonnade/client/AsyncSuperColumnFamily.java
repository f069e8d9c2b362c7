package dev.colonnade.client;

import dev.colonnade.v1.ColumnOrSuperColumn;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@link SuperColumnFamily} with futures. Thread-safe. */
public final class AsyncSuperColumnFamily<K, S, N, V>
    extends AsyncEntries<K, S, SuperColumn<S, N, V>> {

  private final AsyncColumns<K, N, V> columns;
  private final Serializer<N> columnNames;
  private final Serializer<V> values;

  AsyncSuperColumnFamily(
      ColumnParentRef<K> place,
      Serializer<S> names,
      Serializer<N> columnNames,
      Serializer<V> values) {
    super(place, names);
    this.columnNames = columnNames;
    this.values = values;
    this.columns = new AsyncColumns<>(place, columnNames, values);
  }

  /** As {@link SuperColumnFamily#within}. */
  public AsyncColumns<K, N, V> within(S superColumn) {
    return new AsyncColumns<>(place.within(Bytes.of(names, superColumn)), columnNames, values);
  }

  /** As {@link SuperColumnFamily#touch}. */
  public CompletableFuture<Integer> touch(Collection<K> keys) {
    return Maintenance.touch(place, keys);
  }

  /** As {@link SuperColumnFamily#truncate}. */
  public CompletableFuture<@Nullable Void> truncate() {
    return Maintenance.truncate(place);
  }

  AsyncSuperColumnFamily<K, S, N, V> with(CallOptions options) {
    return new AsyncSuperColumnFamily<>(place.with(options), names, columnNames, values);
  }

  @Override
  EntryReader<SuperColumn<S, N, V>> reader() {
    return new SuperColumnsReader<>(names, new ColumnReader<>(columnNames, values));
  }

  @Override
  ColumnOrSuperColumn encode(SuperColumn<S, N, V> entry, long timestampMicros) {
    dev.colonnade.v1.SuperColumn.Builder message =
        dev.colonnade.v1.SuperColumn.newBuilder().setName(Bytes.of(names, entry.name()));
    entry.columns().forEach(column -> message.addColumns(columns.message(column, timestampMicros)));
    return ColumnOrSuperColumn.newBuilder().setSuperColumn(message).build();
  }
}
