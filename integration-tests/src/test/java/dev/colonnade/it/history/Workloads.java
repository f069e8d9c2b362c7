package dev.colonnade.it.history;

import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_ONE;
import static dev.colonnade.v1.ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;

import com.google.protobuf.ByteString;
import dev.colonnade.it.LocalNode;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Seen;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.WriteOptions;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What all kinds of clients share. */
final class Workloads {
  /** Three replicas of each row. */
  static final String KEYSPACE = "History";

  /** One replica of each row, which is enough for any promise. */
  static final String SINGLE = "Single";

  static final List<String> KEYSPACES = List.of(KEYSPACE, SINGLE);

  /** Longer than a node tries. */
  static final int CALL_SECONDS = 12;

  private Workloads() {}

  /** A kind of clients: each thread of it has one. */
  interface Client extends AutoCloseable {
    /** Makes one call, or a few, and records them. */
    void step(Random random);

    @Override
    default void close() {}
  }

  static ColumnStoreServiceBlockingStub data(LocalNode node) {
    return node.data().withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  static ColumnParent parent(String family) {
    return ColumnParent.newBuilder().setColumnFamily(family).build();
  }

  static SlicePredicate all() {
    return SlicePredicate.newBuilder()
        .setSliceRange(SliceRange.newBuilder().setCount(10_000))
        .build();
  }

  static ReadOptions reading(boolean quorum) {
    return ReadOptions.newBuilder().setConsistencyLevel(level(quorum)).build();
  }

  static WriteOptions writing(boolean quorum) {
    return WriteOptions.newBuilder().setConsistencyLevel(level(quorum)).build();
  }

  private static ConsistencyLevel level(boolean quorum) {
    return quorum ? CONSISTENCY_LEVEL_QUORUM : CONSISTENCY_LEVEL_ONE;
  }

  /** Adds what columns of an answer show. */
  private static Answer add(Answer answer, List<ColumnOrSuperColumn> columns) {
    for (ColumnOrSuperColumn one : columns) {
      Column column = one.getColumn();
      answer.saw(
          column.getName().toStringUtf8(),
          Seen.version(column.getTimestamp(), Tagged.name(column.getValue())));
    }
    return answer;
  }

  /**
   * What a page, or a message of a stream, says: of all from its first to its last column. What
   * came in between two pages belongs to the one or the other, and none says so.
   *
   * @param isFirst whether it begins with the row
   * @param isLast whether it ends with the row
   */
  static Answer page(List<ColumnOrSuperColumn> columns, boolean isFirst, boolean isLast) {
    if (columns.isEmpty()) {
      return isFirst && isLast ? Answer.ofRow() : Answer.ofColumns(List.of());
    }
    String first = columns.get(0).getColumn().getName().toStringUtf8();
    return add(
        Answer.ofInterval(isFirst ? null : first, isLast ? null : lastName(columns)), columns);
  }

  private static String lastName(List<ColumnOrSuperColumn> columns) {
    return columns.get(columns.size() - 1).getColumn().getName().toStringUtf8();
  }
}
