package dev.colonnade.client;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@link ColumnFamily} with futures. Thread-safe. */
public final class AsyncColumnFamily<K, N, V> extends AsyncColumns<K, N, V> {

  AsyncColumnFamily(ColumnParentRef<K> place, Serializer<N> names, Serializer<V> values) {
    super(place, names, values);
  }

  @Override
  AsyncColumnFamily<K, N, V> with(CallOptions options) {
    return new AsyncColumnFamily<>(place.with(options), names, values);
  }

  /** As {@link ColumnFamily#touch}. */
  public CompletableFuture<Integer> touch(Collection<K> keys) {
    return Maintenance.touch(place, keys);
  }

  /** As {@link ColumnFamily#truncate}. */
  public CompletableFuture<@Nullable Void> truncate() {
    return Maintenance.truncate(place);
  }
}
