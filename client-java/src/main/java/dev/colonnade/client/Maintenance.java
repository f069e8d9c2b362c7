package dev.colonnade.client;

import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.TouchRequest;
import java.util.Collection;

/** Calls about a whole family, of either type. */
final class Maintenance {

  private Maintenance() {}

  static <K> int touch(Place<K> place, Collection<K> keys) {
    TouchRequest.Builder request =
        TouchRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setColumnFamily(place.family())
            .setLoadData(true);
    keys.forEach(key -> request.addKeys(place.key(key)));
    return Transport.await(
            place
                .session()
                .transport()
                .call(
                    ColumnStoreServiceGrpc.getTouchMethod(),
                    request.build(),
                    place.deadline(),
                    Applied.NO))
        .getKeysLoaded();
  }

  static void truncate(Place<?> place) {
    TruncateColumnFamilyRequest request =
        TruncateColumnFamilyRequest.newBuilder()
            .setKeyspace(place.keyspace())
            .setName(place.family())
            .build();
    Transport.await(
        place
            .session()
            .transport()
            .call(
                SchemaServiceGrpc.getTruncateColumnFamilyMethod(),
                request,
                place.deadline(),
                Applied.UNKNOWN));
  }
}
