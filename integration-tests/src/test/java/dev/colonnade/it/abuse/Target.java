package dev.colonnade.it.abuse;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The node under abuse, by its ports on loopback, and the data that all cases need. */
record Target(int clientPort, int peerPort, int httpPort) {

  /** The keyspace of the well-behaved clients. */
  static final String GOOD_KEYSPACE = "Tenant";

  /** What they read and write there. */
  static final String GOOD = "Good";

  /** The keyspace of the others. */
  static final String KEYSPACE = "Abuse";

  /** What they read and write there. */
  static final String BAD = "Bad";

  static final int GOOD_ROWS = 1_000;
  static final int GOOD_COLUMNS = 10;
  static final int GOOD_VALUE_BYTES = 100;

  /** Rows of {@link #BAD}, each with one value of {@link #BAD_VALUE_BYTES}. */
  static final int BAD_ROWS = 64;

  static final int BAD_VALUE_BYTES = 1 << 20;

  /** A row of {@link #BAD} with many small columns. */
  static final ByteString WIDE_KEY = ByteString.copyFromUtf8("wide");

  static final int WIDE_COLUMNS = 200_000;

  private static final int CLIENT_MESSAGE_BYTES = 32 << 20;
  private static final int ATTEMPTS = 100;

  /** A further connection. */
  ManagedChannel channel() {
    return NettyChannelBuilder.forAddress("127.0.0.1", clientPort)
        .usePlaintext()
        .directExecutor()
        .maxInboundMessageSize(CLIENT_MESSAGE_BYTES)
        .build();
  }

  /** Makes the keyspace and the rows; takes a second or two. */
  void load() {
    ManagedChannel channel = channel();
    try {
      SchemaServiceGrpc.SchemaServiceBlockingStub schema =
          SchemaServiceGrpc.newBlockingStub(channel);
      create(schema, GOOD_KEYSPACE, GOOD);
      create(schema, KEYSPACE, BAD);
      ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data =
          ColumnStoreServiceGrpc.newBlockingStub(channel);
      for (int i = 0; i < GOOD_ROWS; i++) {
        write(data, GOOD_KEYSPACE, goodRow(i));
      }
      for (int i = 0; i < BAD_ROWS; i++) {
        RowMutation.Builder row = row(BAD, ByteString.copyFromUtf8("large" + i));
        row.addMutations(mutation(column("v", noise(BAD_VALUE_BYTES, i))));
        write(data, KEYSPACE, row);
      }
      for (int from = 0; from < WIDE_COLUMNS; from += GOOD_ROWS) {
        RowMutation.Builder row = row(BAD, WIDE_KEY);
        for (int i = from; i < from + GOOD_ROWS; i++) {
          row.addMutations(mutation(column(String.format("%08d", i), ByteString.EMPTY)));
        }
        write(data, KEYSPACE, row);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  private static void create(
      SchemaServiceGrpc.SchemaServiceBlockingStub schema, String keyspace, String family) {
    schema.createKeyspace(
        CreateKeyspaceRequest.newBuilder()
            .setKeyspace(
                KeyspaceDef.newBuilder()
                    .setName(keyspace)
                    .addColumnFamilies(
                        ColumnFamilyDef.newBuilder()
                            .setKeyspace(keyspace)
                            .setName(family)
                            .setCompareWith("BytesType")))
            .build());
  }

  /** Writes a row. A node with a small heap may have to flush first. */
  static void write(
      ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data,
      String keyspace,
      RowMutation.Builder row) {
    BatchMutateRequest request =
        BatchMutateRequest.newBuilder().setKeyspace(keyspace).addRows(row).build();
    for (int attempt = 1; ; attempt++) {
      try {
        data.withDeadlineAfter(30, TimeUnit.SECONDS).batchMutate(request);
        return;
      } catch (StatusRuntimeException e) {
        if (attempt == ATTEMPTS || !Tally.isRefusal(e.getStatus())) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  static ByteString goodKey(int row) {
    return ByteString.copyFromUtf8("good" + row);
  }

  static ByteString goodName(int column) {
    return ByteString.copyFromUtf8("c" + column);
  }

  private static RowMutation.Builder goodRow(int number) {
    RowMutation.Builder row = row(GOOD, goodKey(number));
    for (int i = 0; i < GOOD_COLUMNS; i++) {
      row.addMutations(
          mutation(
              Column.newBuilder()
                  .setName(goodName(i))
                  .setValue(noise(GOOD_VALUE_BYTES, number))
                  .build()));
    }
    return row;
  }

  static RowMutation.Builder row(String family, ByteString key) {
    return RowMutation.newBuilder().setColumnFamily(family).setKey(key);
  }

  static Mutation mutation(Column column) {
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column))
        .build();
  }

  static Column column(String name, ByteString value) {
    return Column.newBuilder().setName(ByteString.copyFromUtf8(name)).setValue(value).build();
  }

  /** Bytes that do not compress. */
  static ByteString noise(int bytes, long seed) {
    byte[] noise = new byte[bytes];
    new Random(seed).nextBytes(noise);
    return ByteString.copyFrom(noise);
  }
}
