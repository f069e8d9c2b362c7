package dev.colonnade.it.abuse;

import com.google.protobuf.ByteString;
import dev.colonnade.cli.local.bench.RawCalls;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;

/** All cases, in the order of the table. */
final class AbuseCases {

  /** The harmless one: as busy as the others, with calls that the node is made for. */
  static final String NEIGHBOUR = "neighbour";

  /** Only by name: it is not one case more, but the others side by side. */
  static final String TOGETHER = "together";

  private static final int MEBIBYTE = 1 << 20;

  private static final int NEWER_DELETIONS = 40_000;

  private AbuseCases() {}

  /** A case whose work is one kind of call over and over. */
  private record CallCase(String name, String what, Work work) implements AbuseCase {

    interface Work {
      void begin(Target target, Tally tally) throws IOException;
    }

    @Override
    public void begin(Target target, Tally tally) throws IOException {
      work.begin(target, tally);
    }
  }

  static List<AbuseCase> all() {
    return List.of(
        new CallCase("large-values", "64 clients write 2 MiB values", AbuseCases::largeValues),
        new CallCase(
            "small-columns", "16 clients write 20,000 columns a batch", AbuseCases::smallColumns),
        new CallCase(
            "big-batches", "120 batches of 15 MiB on one connection", AbuseCases::bigBatches),
        new CallCase(
            "tiny-elements", "8 clients send 4 million empty mutations", AbuseCases::tinyElements),
        new CallCase(
            "compressed", "16 clients send 15 MiB of zeros, compressed", AbuseCases::compressed),
        new CallCase(
            "slow-streams", "400 streams whose clients read one chunk", SlowStreams::begin),
        new CallCase("half-sent", "messages of 15 MiB but for a byte", HalfSent::begin),
        new CallCase(
            "cancelled-scans", "16 scans of 2 MiB cancelled in 3 ms", AbuseCases::cancelledScans),
        new CallCase(
            "many-slices", "900 slices of 2 MiB on one connection", AbuseCases::manySlices),
        new CallCase("wide-slices", "64 slices of 2 MiB of tiny columns", AbuseCases::wideSlices),
        new CallCase(
            "range-deletions",
            "40 old deletions in flight over 40,000 newer ones",
            AbuseCases::rangeDeletions),
        new CallCase(
            "overlapping-deletions",
            "4 clients send 4,000 deletions under 100 wide ones",
            AbuseCases::overlappingDeletions),
        new CallCase("half-http", "200 half-sent HTTP requests", Silent::halfHttp),
        new CallCase("silent", "2,000 silent connections to each port", Silent::everywhere));
  }

  /** All of them at once. */
  static AbuseCase together() {
    return new CallCase(
        TOGETHER,
        "all of the others at once",
        (target, tally) -> {
          for (AbuseCase one : all()) {
            one.begin(target, tally);
          }
        });
  }

  static AbuseCase neighbour() {
    return new CallCase(NEIGHBOUR, "64 hot reads in flight", AbuseCases::hotReads);
  }

  static AbuseCase named(String name) {
    if (name.equals(NEIGHBOUR)) {
      return neighbour();
    }
    if (name.equals(TOGETHER)) {
      return together();
    }
    return all().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no case " + name));
  }

  private static MethodDescriptor<byte[], byte[]> raw(MethodDescriptor<?, ?> method) {
    return RawCalls.method(method.getFullMethodName());
  }

  private static void endless(
      Channel channel,
      MethodDescriptor<?, ?> method,
      int inFlight,
      IntFunction<byte[]> requests,
      Tally tally) {
    for (int i = 0; i < inFlight; i++) {
      Calls.endless(channel, raw(method), requests, CallOptions.DEFAULT, 0, tally);
    }
  }

  private static void hotReads(Target target, Tally tally) {
    for (int i = 0; i < 4; i++) {
      endless(
          target.channel(),
          ColumnStoreServiceGrpc.getGetMethod(),
          16,
          number -> GoodClients.get(),
          tally);
    }
  }

  private static void largeValues(Target target, Tally tally) {
    byte[] request =
        InsertRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .setKey(ByteString.copyFromUtf8("written"))
            .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.BAD))
            .setColumn(Target.column("v", Target.noise(2 * MEBIBYTE, 1)))
            .build()
            .toByteArray();
    for (int i = 0; i < 64; i++) {
      endless(target.channel(), ColumnStoreServiceGrpc.getInsertMethod(), 1, n -> request, tally);
    }
  }

  private static void smallColumns(Target target, Tally tally) {
    byte[] request = batch(20_000, 8);
    for (int i = 0; i < 16; i++) {
      endless(
          target.channel(), ColumnStoreServiceGrpc.getBatchMutateMethod(), 1, n -> request, tally);
    }
  }

  private static byte[] batch(int columns, int valueBytes) {
    RowMutation.Builder row = Target.row(Target.BAD, ByteString.copyFromUtf8("small" + valueBytes));
    ByteString value = Target.noise(valueBytes, 3);
    for (int i = 0; i < columns; i++) {
      row.addMutations(Target.mutation(Target.column(String.format("%08d", i), value)));
    }
    return BatchMutateRequest.newBuilder()
        .setKeyspace(Target.KEYSPACE)
        .addRows(row)
        .build()
        .toByteArray();
  }

  private static void bigBatches(Target target, Tally tally) {
    byte[] request = batch(15, MEBIBYTE);
    endless(
        target.channel(), ColumnStoreServiceGrpc.getBatchMutateMethod(), 120, n -> request, tally);
  }

  /** Two bytes each on the wire. */
  private static void tinyElements(Target target, Tally tally) {
    RowMutation.Builder row = Target.row(Target.BAD, ByteString.copyFromUtf8("tiny"));
    for (int i = 0; i < 4_000_000; i++) {
      row.addMutations(Mutation.getDefaultInstance());
    }
    byte[] request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .addRows(row)
            .build()
            .toByteArray();
    for (int i = 0; i < 8; i++) {
      endless(
          target.channel(), ColumnStoreServiceGrpc.getBatchMutateMethod(), 1, n -> request, tally);
    }
  }

  private static void compressed(Target target, Tally tally) {
    RowMutation.Builder row = Target.row(Target.BAD, ByteString.copyFromUtf8("zeros"));
    ByteString zeros = ByteString.copyFrom(new byte[MEBIBYTE]);
    for (int i = 0; i < 15; i++) {
      row.addMutations(Target.mutation(Target.column("z" + i, zeros)));
    }
    byte[] request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .addRows(row)
            .build()
            .toByteArray();
    for (int i = 0; i < 16; i++) {
      Calls.endless(
          target.channel(),
          raw(ColumnStoreServiceGrpc.getBatchMutateMethod()),
          n -> request,
          CallOptions.DEFAULT.withCompression("gzip"),
          0,
          tally);
    }
  }

  private static void cancelledScans(Target target, Tally tally) {
    byte[] request =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.BAD))
            .setPredicate(
                SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
            .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
            .setPageBytes(2 * MEBIBYTE)
            .build()
            .toByteArray();
    for (int i = 0; i < 16; i++) {
      Calls.endless(
          target.channel(),
          raw(ColumnStoreServiceGrpc.getGetRangeSlicesMethod()),
          n -> request,
          CallOptions.DEFAULT,
          500 + ThreadLocalRandom.current().nextInt(2_500),
          tally);
    }
  }

  private static void manySlices(Target target, Tally tally) {
    List<byte[]> requests = new ArrayList<>();
    for (int i = 0; i < Target.BAD_ROWS; i++) {
      requests.add(slice(ByteString.copyFromUtf8("large" + i)));
    }
    endless(
        target.channel(),
        ColumnStoreServiceGrpc.getGetSliceMethod(),
        900,
        n -> requests.get(n % requests.size()),
        tally);
  }

  private static void wideSlices(Target target, Tally tally) {
    byte[] request = slice(Target.WIDE_KEY);
    for (int i = 0; i < 64; i++) {
      endless(target.channel(), ColumnStoreServiceGrpc.getGetSliceMethod(), 1, n -> request, tally);
    }
  }

  private static void rangeDeletions(Target target, Tally tally) {
    ManagedChannel channel = target.channel();
    ByteString key = ByteString.copyFromUtf8("deleted");
    ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub data =
        ColumnStoreServiceGrpc.newBlockingStub(channel);
    for (int from = 0; from < NEWER_DELETIONS; from += NEWER_DELETIONS / 10) {
      RowMutation.Builder row = Target.row(Target.BAD, key);
      for (int i = from; i < from + NEWER_DELETIONS / 10; i++) {
        row.addMutations(deletion(2 * i, 2 * i, 1_000_000L + i));
      }
      Target.write(data, Target.KEYSPACE, row);
    }
    byte[] request =
        RemoveRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .setKey(key)
            .setColumnPath(ColumnPath.newBuilder().setColumnFamily(Target.BAD))
            .setPredicate(range(0, 2 * NEWER_DELETIONS))
            .setTimestamp(1)
            .build()
            .toByteArray();
    endless(channel, ColumnStoreServiceGrpc.getRemoveMethod(), 40, n -> request, tally);
  }

  private static void overlappingDeletions(Target target, Tally tally) {
    RowMutation.Builder row = Target.row(Target.BAD, ByteString.copyFromUtf8("overlapping"));
    for (int i = 0; i < 4_000; i++) {
      row.addMutations(deletion(2 * i, 2 * i, 1_000_000L + i));
    }
    for (int i = 0; i < 100; i++) {
      row.addMutations(deletion(i, 8_000 - i, i + 1));
    }
    byte[] request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(Target.KEYSPACE)
            .addRows(row)
            .build()
            .toByteArray();
    for (int i = 0; i < 4; i++) {
      endless(
          target.channel(), ColumnStoreServiceGrpc.getBatchMutateMethod(), 4, n -> request, tally);
    }
  }

  private static Mutation deletion(int first, int last, long timestamp) {
    return Mutation.newBuilder()
        .setDeletion(Deletion.newBuilder().setPredicate(range(first, last)).setTimestamp(timestamp))
        .build();
  }

  private static SlicePredicate range(int first, int last) {
    return SlicePredicate.newBuilder()
        .setSliceRange(
            SliceRange.newBuilder()
                .setStart(ByteString.copyFromUtf8(String.format("%08d", first)))
                .setFinish(ByteString.copyFromUtf8(String.format("%08d", last))))
        .build();
  }

  private static byte[] slice(ByteString key) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(Target.KEYSPACE)
        .setKey(key)
        .setColumnParent(ColumnParent.newBuilder().setColumnFamily(Target.BAD))
        .setPredicate(SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
        .setPageBytes(2 * MEBIBYTE)
        .build()
        .toByteArray();
  }
}
