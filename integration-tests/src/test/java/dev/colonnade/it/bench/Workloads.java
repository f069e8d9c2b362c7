package dev.colonnade.it.bench;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.cli.local.bench.RawCalls;
import dev.colonnade.it.WideRow;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Makes the data and the calls of the benchmark. */
final class Workloads {

  /** Limits of the first release, in multiples of the call that does nothing. */
  private static final double UPDATE_LIMIT = 4;

  private static final double HOT_READ_LIMIT = 5;

  private static final String KEYSPACE = "Bench";
  private static final String ROWS = "Rows";
  private static final String SCANNED = "Scanned";
  private static final String WIDE = "Wide";
  private static final int HOT_ROWS = 1_000;
  private static final int UPDATED_ROWS = 100_000;

  /** Few enough to fit the block cache. */
  private static final int SCANNED_ROWS = 20_000;

  private static final int ROWS_PER_SCAN = 50;
  private static final int ROWS_PER_BATCH = 50;
  private static final int COLUMNS_PER_ROW = 10;
  private static final int COLUMN_BYTES = 100;
  private static final int UPDATE_BYTES = 1_000;
  private static final int WIDE_VALUE_BYTES = 20;

  /** Sizes of the rows that one column is updated in, and how many rows there are of each size. */
  private static final int[][] SIZES_AND_ROWS = {{1, 1_000}, {1_000, 100}, {1_000_000, 1}};

  private final Channel channel;
  private final AtomicLong sequence = new AtomicLong();

  Workloads(Channel channel) {
    this.channel = channel;
  }

  /** Creates the keyspace again and loads it; takes some seconds. */
  void load() throws InterruptedException {
    SchemaServiceGrpc.SchemaServiceBlockingStub schema = SchemaServiceGrpc.newBlockingStub(channel);
    boolean there =
        schema.listKeyspaces(ListKeyspacesRequest.getDefaultInstance()).getKeyspacesList().stream()
            .anyMatch(keyspace -> keyspace.getName().equals(KEYSPACE));
    if (there) {
      schema.dropKeyspace(DropKeyspaceRequest.newBuilder().setName(KEYSPACE).build());
    }
    schema.createKeyspace(
        CreateKeyspaceRequest.newBuilder()
            .setKeyspace(
                KeyspaceDef.newBuilder()
                    .setName(KEYSPACE)
                    .addColumnFamilies(family(ROWS, "BytesType"))
                    .addColumnFamilies(family(SCANNED, "BytesType"))
                    .addColumnFamilies(family(WIDE, "LongType")))
            .build());
    ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data =
        ColumnStoreServiceGrpc.newBlockingStub(channel);
    for (int i = 0; i < HOT_ROWS; i++) {
      data.batchMutate(batch().addRows(tenColumns(ROWS, hotKey(i))).build());
    }
    loadScanned(data);
    for (int[] sizeAndRows : SIZES_AND_ROWS) {
      for (int row = 0; row < sizeAndRows[1]; row++) {
        new WideRow(
                KEYSPACE,
                WIDE,
                wideKey(sizeAndRows[0], row),
                null,
                sizeAndRows[0],
                WIDE_VALUE_BYTES)
            .load(channel);
      }
    }
  }

  /** Rows in a data file, as scans mostly meet them. */
  private void loadScanned(ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data) {
    for (int from = 0; from < SCANNED_ROWS; from += ROWS_PER_BATCH) {
      BatchMutateRequest.Builder rows = batch();
      for (int i = from; i < from + ROWS_PER_BATCH; i++) {
        rows.addRows(tenColumns(SCANNED, key("s", i)));
      }
      data.batchMutate(rows.build());
    }
    NodeServiceGrpc.newBlockingStub(channel)
        .flush(FlushRequest.newBuilder().setKeyspace(KEYSPACE).addColumnFamilies(SCANNED).build());
  }

  /** All calls, in the order of the table. */
  List<Workload> all() {
    List<Workload> all = new ArrayList<>();
    all.add(
        workload(
            "update, 1 kB column",
            ColumnStoreServiceGrpc.getInsertMethod(),
            () -> insert(ROWS, key("u", random(UPDATED_ROWS)), name(0), UPDATE_BYTES),
            UPDATE_LIMIT));
    all.add(
        workload(
            "insert, row of 10 x 100 B",
            ColumnStoreServiceGrpc.getBatchMutateMethod(),
            () ->
                batch()
                    .addRows(tenColumns(ROWS, key("n", sequence.getAndIncrement())))
                    .build()
                    .toByteArray(),
            0));
    all.add(
        workload(
            "hot read, 1 column",
            ColumnStoreServiceGrpc.getGetMethod(),
            Workloads::getHot,
            HOT_READ_LIMIT));
    all.add(
        workload(
            "hot read, slice of 10",
            ColumnStoreServiceGrpc.getGetSliceMethod(),
            () -> slice(ROWS, hotKey(random(HOT_ROWS)), ByteString.EMPTY),
            HOT_READ_LIMIT));
    all.add(
        workload(
            "scan of " + ROWS_PER_SCAN + " rows of 10 x 100 B",
            ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
            () -> scan(false),
            0));
    all.add(
        workload(
            "scan of " + ROWS_PER_SCAN + " keys",
            ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
            () -> scan(true),
            0));
    int last = SIZES_AND_ROWS[SIZES_AND_ROWS.length - 1][0];
    all.add(
        workload(
            "slice of 10 from a row of " + last,
            ColumnStoreServiceGrpc.getGetSliceMethod(),
            () -> slice(WIDE, wideKey(last, 0), WideRow.name(random(last - COLUMNS_PER_ROW))),
            0));
    for (int[] sizeAndRows : SIZES_AND_ROWS) {
      int size = sizeAndRows[0];
      all.add(
          workload(
              rowSizeName(size),
              ColumnStoreServiceGrpc.getInsertMethod(),
              () ->
                  insert(
                      WIDE,
                      wideKey(size, (int) random(sizeAndRows[1])),
                      WideRow.name(random(size)),
                      WIDE_VALUE_BYTES),
              0));
    }
    return all;
  }

  /** The workloads that must cost about the same. */
  static List<String> rowSizeNames() {
    List<String> names = new ArrayList<>();
    for (int[] sizeAndRows : SIZES_AND_ROWS) {
      names.add(rowSizeName(sizeAndRows[0]));
    }
    return names;
  }

  private static String rowSizeName(int size) {
    return "update in a row of " + size;
  }

  /** Asks once, to see that it works and how large an answer is. */
  private Workload workload(
      String name, MethodDescriptor<?, ?> method, Supplier<byte[]> requests, double limitRatio) {
    MethodDescriptor<byte[], byte[]> raw = RawCalls.method(method.getFullMethodName());
    byte[] answer =
        ClientCalls.blockingUnaryCall(channel, raw, CallOptions.DEFAULT, requests.get());
    return new Workload(name, raw, requests, answer.length, limitRatio);
  }

  private static ColumnFamilyDef family(String name, String comparator) {
    return ColumnFamilyDef.newBuilder()
        .setKeyspace(KEYSPACE)
        .setName(name)
        .setCompareWith(comparator)
        .build();
  }

  private static BatchMutateRequest.Builder batch() {
    return BatchMutateRequest.newBuilder().setKeyspace(KEYSPACE);
  }

  private static RowMutation tenColumns(String family, ByteString key) {
    RowMutation.Builder row = RowMutation.newBuilder().setKey(key).setColumnFamily(family);
    for (int i = 0; i < COLUMNS_PER_ROW; i++) {
      row.addMutations(
          Mutation.newBuilder()
              .setColumnOrSuperColumn(
                  ColumnOrSuperColumn.newBuilder().setColumn(column(name(i), COLUMN_BYTES))));
    }
    return row.build();
  }

  /**
   * A stream that ends with its first message, which a client can therefore take for a unary call.
   */
  private static byte[] scan(boolean keysOnly) {
    return StreamRangeSlicesRequest.newBuilder()
        .setKeyspace(KEYSPACE)
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(SCANNED))
        .setPredicate(SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
        .setRange(
            KeyRange.newBuilder()
                .setKeys(KeyBounds.newBuilder().setStartKey(key("s", random(SCANNED_ROWS))))
                .setCount(ROWS_PER_SCAN))
        .setKeysOnly(keysOnly)
        .build()
        .toByteArray();
  }

  private static byte[] insert(String family, ByteString key, ByteString name, int bytes) {
    return InsertRequest.newBuilder()
        .setKeyspace(KEYSPACE)
        .setKey(key)
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(family))
        .setColumn(column(name, bytes))
        .build()
        .toByteArray();
  }

  private static byte[] getHot() {
    return GetRequest.newBuilder()
        .setKeyspace(KEYSPACE)
        .setKey(hotKey(random(HOT_ROWS)))
        .setColumnPath(
            ColumnPath.newBuilder().setColumnFamily(ROWS).setColumn(name(random(COLUMNS_PER_ROW))))
        .build()
        .toByteArray();
  }

  private static byte[] slice(String family, ByteString key, ByteString start) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(KEYSPACE)
        .setKey(key)
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(family))
        .setPredicate(
            SlicePredicate.newBuilder()
                .setSliceRange(SliceRange.newBuilder().setStart(start).setCount(COLUMNS_PER_ROW)))
        .build()
        .toByteArray();
  }

  /** Half of a value compresses well, as in the peers' benchmarks. */
  private static Column column(ByteString name, int valueBytes) {
    byte[] value = new byte[valueBytes];
    byte[] noise = new byte[valueBytes / 2];
    ThreadLocalRandom.current().nextBytes(noise);
    System.arraycopy(noise, 0, value, 0, noise.length);
    return Column.newBuilder().setName(name).setValue(ByteString.copyFrom(value)).build();
  }

  private static ByteString hotKey(long n) {
    return key("h", n);
  }

  private static ByteString wideKey(int size, int row) {
    return ByteString.copyFromUtf8("w" + size + "-" + row);
  }

  private static ByteString key(String kind, long n) {
    return ByteString.copyFromUtf8(kind + String.format("%015d", n));
  }

  private static ByteString name(long n) {
    return ByteString.copyFromUtf8("field" + n);
  }

  private static long random(long bound) {
    return ThreadLocalRandom.current().nextLong(bound);
  }
}
