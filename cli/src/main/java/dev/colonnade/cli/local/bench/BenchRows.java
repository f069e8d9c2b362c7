package dev.colonnade.cli.local.bench;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Rows of one column of 1 kB: their keyspace, and calls that write and read them. Thread-safe. */
public final class BenchRows {

  private static final String KEYSPACE = "Bench";
  private static final String FAMILY = "Rows";
  private static final int VALUE_BYTES = 1_000;

  private static final int LOADING_IN_FLIGHT = 64;
  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private static final ByteString COLUMN = ByteString.copyFromUtf8("field0");
  private static final MethodDescriptor<byte[], byte[]> INSERT =
      RawCalls.method(ColumnStoreServiceGrpc.getInsertMethod().getFullMethodName());
  private static final MethodDescriptor<byte[], byte[]> GET =
      RawCalls.method(ColumnStoreServiceGrpc.getGetMethod().getFullMethodName());

  private final int rows;
  private final ConsistencyLevel level;

  /**
   * Rows that are read and written at QUORUM.
   *
   * @param rows how many there are
   */
  public BenchRows(int rows) {
    this.rows = rows;
    this.level = ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM;
  }

  /** Creates the keyspace and writes every row once. */
  public void load(Channel channel, int replicas) throws InterruptedException {
    SchemaServiceGrpc.newBlockingStub(channel)
        .createKeyspace(
            CreateKeyspaceRequest.newBuilder()
                .setKeyspace(
                    KeyspaceDef.newBuilder()
                        .setName(KEYSPACE)
                        .setReplicationFactor(replicas)
                        .addColumnFamilies(
                            ColumnFamilyDef.newBuilder().setKeyspace(KEYSPACE).setName(FAMILY)))
                .build());
    AtomicInteger next = new AtomicInteger();
    LoadGenerator load =
        new LoadGenerator(channel, () -> insert(Math.floorMod(next.getAndIncrement(), rows)));
    load.start(LOADING_IN_FLIGHT);
    while (next.get() < rows) {
      var unused = load.run(LOOK_AGAIN);
    }
    load.stop();
  }

  /** A call that overwrites some row. */
  public RawCall write() {
    return insert(ThreadLocalRandom.current().nextInt(rows));
  }

  /** A call that reads some row. */
  public RawCall read() {
    GetRequest request =
        GetRequest.newBuilder()
            .setKeyspace(KEYSPACE)
            .setKey(key(ThreadLocalRandom.current().nextInt(rows)))
            .setColumnPath(ColumnPath.newBuilder().setColumnFamily(FAMILY).setColumn(COLUMN))
            .setOptions(ReadOptions.newBuilder().setConsistencyLevel(level))
            .build();
    return new RawCall(GET, request.toByteArray());
  }

  /** One or the other. */
  public RawCall either() {
    return ThreadLocalRandom.current().nextBoolean() ? write() : read();
  }

  private RawCall insert(int row) {
    InsertRequest request =
        InsertRequest.newBuilder()
            .setKeyspace(KEYSPACE)
            .setKey(key(row))
            .setColumnParent(ColumnParent.newBuilder().setColumnFamily(FAMILY))
            .setColumn(Column.newBuilder().setName(COLUMN).setValue(value()))
            .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level))
            .build();
    return new RawCall(INSERT, request.toByteArray());
  }

  private static ByteString key(int row) {
    return ByteString.copyFromUtf8(String.format(Locale.ROOT, "row%010d", row));
  }

  /** Half of a value compresses well, as in the peers' benchmarks. */
  private static ByteString value() {
    byte[] value = new byte[VALUE_BYTES];
    byte[] noise = new byte[VALUE_BYTES / 2];
    ThreadLocalRandom.current().nextBytes(noise);
    System.arraycopy(noise, 0, value, 0, noise.length);
    return ByteString.copyFrom(value);
  }
}
