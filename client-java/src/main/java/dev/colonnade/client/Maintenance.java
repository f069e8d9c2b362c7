package dev.colonnade.client;

import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.admin.v1.TruncateColumnFamilyResponse;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.TouchRequest;
import dev.colonnade.v1.TouchResponse;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Calls about a whole family, of either type. */
final class Maintenance {

  private Maintenance() {}

  static <K> CompletableFuture<Integer> touch(ColumnParentRef<K> place, Collection<K> keys) {
    TouchRequest.Builder request =
        TouchRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setColumnFamily(place.family())
            .setLoadData(true);
    keys.forEach(key -> request.addKeys(place.key(key)));
    return Transport.map(
        place
            .context()
            .transport()
            .call(
                ColumnStoreServiceGrpc.getTouchMethod(),
                request.build(),
                place.deadline(),
                Applied.NO),
        TouchResponse::getKeysLoaded);
  }

  static CompletableFuture<@Nullable Void> truncate(ColumnParentRef<?> place) {
    TruncateColumnFamilyRequest request =
        TruncateColumnFamilyRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setName(place.family())
            .build();
    return Transport.<TruncateColumnFamilyResponse, @Nullable Void>map(
        place
            .context()
            .transport()
            .call(
                SchemaServiceGrpc.getTruncateColumnFamilyMethod(),
                request,
                place.deadline(),
                Applied.UNKNOWN),
        answer -> null);
  }
}
