package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes and removals of one call, each with the timestamp of when it was added. */
final class Changes {

  private record RowId(String family, ByteString key) {}

  private final Timestamps timestamps;
  private final CallOptions options;
  private final Map<RowId, RowMutation.Builder> rows = new LinkedHashMap<>();
  private int count;
  private long bytes;

  Changes(Timestamps timestamps, CallOptions options) {
    this.timestamps = timestamps;
    this.options = options;
  }

  <K, E, C> void insert(AsyncEntries<K, E, C> into, K key, Collection<C> entries) {
    RowMutation.Builder row = row(into.place, key);
    long timestampMicros = timestampMicros();
    for (C entry : entries) {
      add(
          row,
          Mutation.newBuilder()
              .setColumnOrSuperColumn(into.encode(entry, timestampMicros))
              .build());
    }
  }

  <K, E, C> void remove(AsyncEntries<K, E, C> from, K key, @Nullable SlicePredicate predicate) {
    add(row(from.place, key), from.removal(predicate, timestampMicros()));
  }

  private void add(RowMutation.Builder row, Mutation change) {
    row.addMutations(change);
    count++;
    // A message computes its size once, and needs it when it is sent.
    bytes += change.getSerializedSize();
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /** What they take without their keys. */
  long bytes() {
    return bytes;
  }

  private long timestampMicros() {
    return options.timestampMicros().orElseGet(timestamps::next);
  }

  private <K> RowMutation.Builder row(ColumnParentRef<K> place, K key) {
    ByteString bytes = place.key(key);
    return rows.computeIfAbsent(
        new RowId(place.family(), bytes),
        id -> RowMutation.newBuilder().setKey(id.key()).setColumnFamily(id.family()));
  }

  BatchMutateRequest message(String keyspace) {
    BatchMutateRequest.Builder request =
        BatchMutateRequest.newBuilder().setKeyspace(keyspace).setOptions(options.write());
    rows.values().forEach(request::addRows);
    return request.build();
  }

  /** The call that applies them. */
  Call<@Nullable Void> call(ClientContext context, String keyspace) {
    return context
        .transport()
        .prepare(
            new Transport.Request<>(
                    ColumnStoreServiceGrpc.getBatchMutateMethod(),
                    message(keyspace),
                    ColumnParentRef.deadline(options),
                    Applied.UNKNOWN,
                    true)
                .traced(options.traceparent()))
        .<@Nullable Void>map(
            answer -> {
              options.report(answer.hasStats(), answer.getStats());
              return null;
            });
  }
}
