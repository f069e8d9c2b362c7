package dev.colonnade.it.cluster;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.it.LocalNode;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A keyspace of rows with one column each, written and read through any node. Weak reads of it
 * never compare replicas in the background, so that a replica has only what was sent to it.
 *
 * @param callSeconds how long a caller waits for an answer
 * @param toldNode whether the node is told how long; if not, its own timeout applies, and the time
 *     that its answer needs on a busy machine is not taken for silence
 */
public record Rows(String keyspace, long callSeconds, boolean toldNode) {

  static final String FAMILY = "Rows";

  private static final long CALL_SECONDS = 30;
  private static final ByteString COLUMN = ByteString.copyFromUtf8("c");
  private static final ByteString ABSENT = ByteString.copyFromUtf8("absent");

  Rows(String keyspace) {
    this(keyspace, CALL_SECONDS);
  }

  /** Callers that wait so long, and say so. */
  public Rows(String keyspace, long callSeconds) {
    this(keyspace, callSeconds, true);
  }

  private ColumnStoreServiceBlockingStub caller(LocalNode node) {
    ColumnStoreServiceBlockingStub caller =
        node.data().withDeadlineAfter(callSeconds, TimeUnit.SECONDS);
    return toldNode ? caller : caller.withInterceptors(new UntoldDeadline());
  }

  /** A definition that may be changed before it is made. */
  KeyspaceDef.Builder definition() {
    return KeyspaceDef.newBuilder()
        .setName(keyspace)
        .addColumnFamilies(
            ColumnFamilyDef.newBuilder()
                .setKeyspace(keyspace)
                .setName(FAMILY)
                .setReadRepairChance(0));
  }

  /** On a number of nodes, and without a cache of keys: each read asks the indexes of the files. */
  public KeyspaceDef uncached(int factor) {
    KeyspaceDef.Builder definition = definition().setReplicationFactor(factor);
    definition.getColumnFamiliesBuilder(0).setKeysCached("0");
    return definition.build();
  }

  /** On a number of nodes. */
  public KeyspaceDef definition(int factor) {
    return definition().setReplicationFactor(factor).build();
  }

  void write(LocalNode node, String key, String value, ConsistencyLevel level) {
    write(node, key, value, level, 0);
  }

  /**
   * Writes.
   *
   * @param timestamp 0 leaves it to the node
   */
  public void write(
      LocalNode node, String key, String value, ConsistencyLevel level, long timestamp) {
    Column.Builder column = column(value);
    if (timestamp != 0) {
      column.setTimestamp(timestamp);
    }
    caller(node)
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(keyspace)
                .setKey(ByteString.copyFromUtf8(key))
                .setColumnParent(parent())
                .setColumn(column)
                .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level))
                .build());
  }

  /** Writes many rows in one call. */
  void writeAll(LocalNode node, Map<String, String> values, ConsistencyLevel level) {
    BatchMutateRequest.Builder request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(keyspace)
            .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level));
    values.forEach(
        (key, value) ->
            request.addRows(
                RowMutation.newBuilder()
                    .setKey(ByteString.copyFromUtf8(key))
                    .setColumnFamily(FAMILY)
                    .addMutations(
                        Mutation.newBuilder()
                            .setColumnOrSuperColumn(
                                ColumnOrSuperColumn.newBuilder().setColumn(column(value))))));
    caller(node).batchMutate(request.build());
  }

  private static Column.Builder column(String value) {
    return Column.newBuilder().setName(COLUMN).setValue(ByteString.copyFromUtf8(value));
  }

  /** The value; empty where there is none. */
  public Optional<String> read(LocalNode node, String key, ConsistencyLevel level) {
    try {
      return Optional.of(
          caller(node)
              .get(
                  GetRequest.newBuilder()
                      .setKeyspace(keyspace)
                      .setKey(ByteString.copyFromUtf8(key))
                      .setColumnPath(
                          ColumnPath.newBuilder().setColumnFamily(FAMILY).setColumn(COLUMN))
                      .setOptions(options(level))
                      .build())
              .getColumnOrSuperColumn()
              .getColumn()
              .getValue()
              .toStringUtf8());
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Status.Code.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** How many of these rows there are. */
  long readAll(LocalNode node, Collection<String> keys, ConsistencyLevel level) {
    return caller(node)
        .multigetSlice(
            MultigetSliceRequest.newBuilder()
                .setKeyspace(keyspace)
                .addAllKeys(keys.stream().map(ByteString::copyFromUtf8).toList())
                .setColumnParent(parent())
                .setPredicate(predicate(COLUMN))
                .setOptions(options(level))
                .build())
        .getRowsList()
        .stream()
        .filter(row -> row.getColumnsCount() > 0)
        .count();
  }

  /** The first page of a scan over the whole ring. */
  GetRangeSlicesResponse scan(LocalNode node, ConsistencyLevel level) {
    return caller(node).getRangeSlices(scanOf(COLUMN, level));
  }

  /** A scan that looks at every row and finds nothing in any. */
  GetRangeSlicesRequest fruitlessScan(ConsistencyLevel level) {
    return scanOf(ABSENT, level);
  }

  private GetRangeSlicesRequest scanOf(ByteString column, ConsistencyLevel level) {
    return GetRangeSlicesRequest.newBuilder()
        .setKeyspace(keyspace)
        .setColumnParent(parent())
        .setPredicate(predicate(column))
        .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
        .setOptions(options(level))
        .build();
  }

  private static ColumnParent parent() {
    return ColumnParent.newBuilder().setColumnFamily(FAMILY).build();
  }

  private static SlicePredicate predicate(ByteString column) {
    return SlicePredicate.newBuilder()
        .setColumnNames(ColumnNames.newBuilder().addNames(column))
        .build();
  }

  private static ReadOptions options(ConsistencyLevel level) {
    return ReadOptions.newBuilder().setConsistencyLevel(level).build();
  }
}
