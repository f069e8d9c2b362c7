package dev.colonnade.it.cluster;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.it.LocalNode;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Optional;

/** One column for each row, written and read through any node. */
final class Rows {

  static final String KEYSPACE = "Shared";
  private static final String FAMILY = "Rows";
  private static final ByteString COLUMN = ByteString.copyFromUtf8("c");

  private Rows() {}

  static KeyspaceDef keyspace(int factor) {
    return KeyspaceDef.newBuilder()
        .setName(KEYSPACE)
        .setReplicationFactor(factor)
        .addColumnFamilies(ColumnFamilyDef.newBuilder().setKeyspace(KEYSPACE).setName(FAMILY))
        .build();
  }

  static void write(LocalNode node, String key, String value, ConsistencyLevel level) {
    node.data()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(KEYSPACE)
                .setKey(ByteString.copyFromUtf8(key))
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(FAMILY))
                .setColumn(
                    Column.newBuilder().setName(COLUMN).setValue(ByteString.copyFromUtf8(value)))
                .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level))
                .build());
  }

  /** The value; empty where there is none. */
  static Optional<String> read(LocalNode node, String key, ConsistencyLevel level) {
    try {
      return Optional.of(
          node.data()
              .get(
                  GetRequest.newBuilder()
                      .setKeyspace(KEYSPACE)
                      .setKey(ByteString.copyFromUtf8(key))
                      .setColumnPath(
                          ColumnPath.newBuilder().setColumnFamily(FAMILY).setColumn(COLUMN))
                      .setOptions(ReadOptions.newBuilder().setConsistencyLevel(level))
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
}
