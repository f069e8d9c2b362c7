package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.RowMutation;
import java.util.function.Function;

/**
 * Where a kind of request says what it is about, for metrics and the log of slow requests. The
 * names are the client's and may be of no family.
 *
 * @param key a row's key; empty for a request about several rows
 * @param <Q> the request
 */
record CallSubject<Q>(
    Function<Q, String> keyspace, Function<Q, String> family, Function<Q, ByteString> key) {

  /** Stands for the family of a batch that changes several. */
  static final String SEVERAL = "several";

  /** The subject of a request about several rows. */
  static <Q> CallSubject<Q> rows(Function<Q, String> keyspace, Function<Q, String> family) {
    return new CallSubject<>(keyspace, family, request -> ByteString.EMPTY);
  }

  /** The subject of a batch. */
  static CallSubject<BatchMutateRequest> batch() {
    return new CallSubject<>(
        BatchMutateRequest::getKeyspace,
        CallSubject::family,
        batch -> batch.getRowsCount() == 1 ? batch.getRows(0).getKey() : ByteString.EMPTY);
  }

  private static String family(BatchMutateRequest batch) {
    String family = "";
    for (RowMutation row : batch.getRowsList()) {
      if (family.isEmpty()) {
        family = row.getColumnFamily();
      } else if (!family.equals(row.getColumnFamily())) {
        return SEVERAL;
      }
    }
    return family;
  }
}
