package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.node.NodeRuntime;
import dev.colonnade.server.service.rpc.NodeCallsFixture;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.InsertResponse;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Three simulated nodes behind their real services, which keep all rows of the keyspace "All". What
 * is asked goes through the contract, as a client sees it.
 */
class FigureScenario extends MembershipScenario {

  static final String ALL = "All";

  private final Map<NodeRuntime, NodeCallsFixture> calls = new HashMap<>();

  void begin() throws IOException {
    begin(3);
    await(
        world.machines().get(0),
        node ->
            node.core()
                .schema()
                .createKeyspace(
                    // The small log of a simulated node would have families flushed at odd times.
                    KeyspaceDefinition.of(ALL).withReplicationFactor(3).withDurableWrites(false)));
  }

  void end() {
    calls.values().forEach(NodeCallsFixture::close);
    letGo();
  }

  /** Makes a family of which nothing has been asked yet. */
  String family(FamilyDefinition definition) {
    await(world.machines().get(0), node -> node.core().schema().createFamily(definition));
    assertTrue(
        world.runUntil(
            () ->
                world.machines().stream()
                    .allMatch(
                        machine ->
                            machine
                                .node()
                                .map(node -> node.knows(ALL, definition.name()))
                                .orElse(true)),
            LIMIT),
        "the schema spreads");
    return definition.name();
  }

  String family(String name) {
    return family(definition(name));
  }

  /** Without comparisons in the background, which would be counted as reads now and then. */
  static FamilyDefinition definition(String name) {
    return FamilyDefinition.standard(ALL, name, "BytesType")
        .with(FamilyField.READ_REPAIR_CHANCE, 0.0);
  }

  private Channel channel(CoreNode node) {
    return calls
        .computeIfAbsent(node.core(), core -> new NodeCallsFixture(core.backend()))
        .channel();
  }

  /** Asks a node as a client does; fails if that does. */
  <T> T call(int at, Function<Channel, ListenableFuture<T>> call) {
    return await(
        world.machines().get(at),
        node -> {
          CompletableFuture<T> answer = new CompletableFuture<>();
          ListenableFuture<T> sent = call.apply(channel(node));
          sent.addListener(() -> pass(sent, answer), MoreExecutors.directExecutor());
          return answer;
        });
  }

  private static <T> void pass(ListenableFuture<T> from, CompletableFuture<T> to) {
    try {
      to.complete(from.get());
    } catch (ExecutionException e) {
      to.completeExceptionally(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** All messages of a streaming call. */
  <T> List<T> stream(int at, BiConsumer<Channel, StreamObserver<T>> call) {
    return await(
        world.machines().get(at),
        node -> {
          CompletableFuture<List<T>> answer = new CompletableFuture<>();
          call.accept(channel(node), new Collector<>(answer));
          return answer;
        });
  }

  /** Takes messages until their end. */
  record Collector<T>(List<T> messages, CompletableFuture<List<T>> end)
      implements StreamObserver<T> {

    Collector(CompletableFuture<List<T>> end) {
      this(new ArrayList<>(), end);
    }

    @Override
    public void onNext(T message) {
      messages.add(message);
    }

    @Override
    public void onError(Throwable failure) {
      end.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      end.complete(List.copyOf(messages));
    }
  }

  /** What a node says now, without letting time pass. */
  GetStatsResponse stats(int at) {
    ListenableFuture<GetStatsResponse> answer =
        NodeServiceGrpc.newFutureStub(channel(node(at)))
            .getStats(GetStatsRequest.getDefaultInstance());
    assertTrue(answer.isDone(), "figures are told at once");
    try {
      return answer.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What a node says of a family of the keyspace "All". */
  ColumnFamilyStats stats(int at, String family) {
    return stats(at).getColumnFamiliesList().stream()
        .filter(each -> each.getKeyspace().equals(ALL) && each.getName().equals(family))
        .findFirst()
        .orElseThrow();
  }

  static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  static ColumnParent parent(String family) {
    return ColumnParent.newBuilder().setColumnFamily(family).build();
  }

  static SlicePredicate everything() {
    return SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()).build();
  }

  /** A column without a timestamp. */
  static Column column(String name, String value) {
    return Column.newBuilder().setName(bytes(name)).setValue(bytes(value)).build();
  }

  InsertResponse insert(int at, String family, String key, String name, String value) {
    return insert(at, family, key, column(name, value), ConsistencyLevel.CONSISTENCY_LEVEL_ALL);
  }

  InsertResponse insert(int at, String family, String key, Column column, ConsistencyLevel level) {
    InsertRequest request =
        InsertRequest.newBuilder()
            .setKeyspace(ALL)
            .setKey(bytes(key))
            .setColumnParent(parent(family))
            .setColumn(column)
            .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level).setIncludeStats(true))
            .build();
    return call(at, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).insert(request));
  }

  /** Reads a row at level ONE, which each node can do alone. */
  GetSliceResponse read(int at, String family, String key) {
    return read(at, family, key, ConsistencyLevel.CONSISTENCY_LEVEL_ONE);
  }

  GetSliceResponse read(int at, String family, String key, ConsistencyLevel level) {
    GetSliceRequest request =
        GetSliceRequest.newBuilder()
            .setKeyspace(ALL)
            .setKey(bytes(key))
            .setColumnParent(parent(family))
            .setPredicate(everything())
            .setOptions(ReadOptions.newBuilder().setConsistencyLevel(level).setIncludeStats(true))
            .build();
    return call(at, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).getSlice(request));
  }

  /** Reads rows with a header traceparent. */
  MultigetSliceResponse traced(
      int at, String header, String family, ConsistencyLevel level, String... keys) {
    MultigetSliceRequest request =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(ALL)
            .addAllKeys(Stream.of(keys).map(FigureScenario::bytes).toList())
            .setColumnParent(parent(family))
            .setPredicate(everything())
            .setOptions(ReadOptions.newBuilder().setConsistencyLevel(level).setIncludeStats(true))
            .build();
    return call(
        at,
        channel ->
            ColumnStoreServiceGrpc.newFutureStub(channel)
                .withInterceptors(traceparent(header))
                .multigetSlice(request));
  }

  /** Writes a column to all replicas with a header traceparent. */
  InsertResponse insertTraced(int at, String header, String family) {
    InsertRequest request =
        InsertRequest.newBuilder()
            .setKeyspace(ALL)
            .setKey(bytes("row"))
            .setColumnParent(parent(family))
            .setColumn(column("a", "1"))
            .setOptions(
                WriteOptions.newBuilder()
                    .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_ALL)
                    .setIncludeStats(true))
            .build();
    return call(
        at,
        channel ->
            ColumnStoreServiceGrpc.newFutureStub(channel)
                .withInterceptors(traceparent(header))
                .insert(request));
  }

  /** Adds a header traceparent to each call. */
  static ClientInterceptor traceparent(String header) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), header);
    return MetadataUtils.newAttachHeadersInterceptor(headers);
  }

  RequestStats cost(int at, String family, String key) {
    return read(at, family, key).getStats();
  }

  void flush(int at, String family) {
    FlushRequest request =
        FlushRequest.newBuilder().setKeyspace(ALL).addColumnFamilies(family).build();
    var unused = call(at, channel -> NodeServiceGrpc.newFutureStub(channel).flush(request));
  }

  String id(int at) {
    return node(at).core().cluster().nodeId();
  }

  /** Fails unless the two differ by no more than that. */
  static void requireNear(long wanted, long found, long difference) {
    assertTrue(Math.abs(wanted - found) <= difference, () -> found + " is not about " + wanted);
  }
}
