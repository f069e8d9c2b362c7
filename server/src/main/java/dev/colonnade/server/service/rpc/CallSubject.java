package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.RowMutation;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Where a kind of request says what it is about, for metrics and the log of slow requests. The
 * names are the client's and may be of no family.
 *
 * @param key a row's key; empty for a request about several rows
 * @param rows how many rows it names; 0 for a range
 * @param level its consistency level
 * @param <Q> the request
 */
record CallSubject<Q>(
    Function<Q, String> keyspace,
    Function<Q, String> family,
    Function<Q, ByteString> key,
    ToIntFunction<Q> rows,
    Function<Q, ConsistencyLevel> level) {

  /** Stands for the family of a batch that changes several. */
  static final String SEVERAL = "several";

  /**
   * What one request is about.
   *
   * @param key a row's; empty if it is about several, or none
   */
  record Called(String keyspace, String family, ByteString key, int rows, ConsistencyLevel level) {

    /** Not known, or nothing. */
    static final Called NOTHING =
        new Called("", "", ByteString.EMPTY, 0, ConsistencyLevel.CONSISTENCY_LEVEL_UNSPECIFIED);
  }

  /** The subject of a request about one row. */
  static <Q> CallSubject<Q> row(
      Function<Q, String> keyspace,
      Function<Q, String> family,
      Function<Q, ByteString> key,
      Function<Q, ConsistencyLevel> level) {
    return new CallSubject<>(keyspace, family, key, request -> 1, level);
  }

  /** The subject of a request about several rows. */
  static <Q> CallSubject<Q> rows(
      Function<Q, String> keyspace,
      Function<Q, String> family,
      ToIntFunction<Q> count,
      Function<Q, ConsistencyLevel> level) {
    return new CallSubject<>(keyspace, family, request -> ByteString.EMPTY, count, level);
  }

  /** The subject of a batch. */
  static CallSubject<BatchMutateRequest> batch() {
    return new CallSubject<>(
        BatchMutateRequest::getKeyspace,
        CallSubject::family,
        batch -> batch.getRowsCount() == 1 ? batch.getRows(0).getKey() : ByteString.EMPTY,
        BatchMutateRequest::getRowsCount,
        batch -> batch.getOptions().getConsistencyLevel());
  }

  /** What a request is about. */
  Called of(Q request) {
    return new Called(
        keyspace.apply(request),
        family.apply(request),
        key.apply(request),
        rows.applyAsInt(request),
        level.apply(request));
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
