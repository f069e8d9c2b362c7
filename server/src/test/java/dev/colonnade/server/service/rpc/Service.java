package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.env.LogLevels;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.sim.SessionChannel;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The services over a real store, in this process and on the caller's thread, with a schema to play
 * with.
 */
final class Service implements AutoCloseable {

  static final String KS = "Keyspace1";

  /** How the data calls of a test are made; they mean the same either way. */
  enum Way {
    /** Each as a gRPC call of its own. */
    UNARY,
    /** All on one session. */
    SESSION
  }

  final SimClock clock = new SimClock();
  final DirectScheduler scheduler = new DirectScheduler();
  final EngineRows rows;
  final TestNode node;
  final ClientAccess access;
  final RpcServices services;
  final ManagedChannel channel;
  private final String name = "rpc-test-" + UUID.randomUUID();
  final Server server;
  private Channel calls;

  /** The event loop of connections that are made from now on; without one calls begin at once. */
  @Nullable Executor loop;

  private Service(
      Partitioner partitioner,
      RpcSettings settings,
      Function<RowStore, RowStore> between,
      CallMetrics metrics,
      NodeMemory memory,
      boolean authentication) {
    access =
        authentication ? TestAccess.required(clock, scheduler) : TestAccess.open(clock, scheduler);
    node = new TestNode(partitioner);
    rows = new EngineRows(clock, partitioner);
    services =
        new RpcServices(
            new RpcServer.Backend(
                between.apply(rows),
                touch ->
                    java.util.concurrent.CompletableFuture.completedFuture(touch.keys().size()),
                rows,
                node,
                node,
                node,
                node,
                LoadService.NO_LOADS,
                LoadService.NO_SNAPSHOTS,
                new IncreasingTimestamps(clock),
                clock,
                scheduler,
                memory,
                PlugIns.NONE,
                LogLevels.FIXED,
                TestSettings.over(scheduler)),
            settings,
            metrics,
            access);
    InProcessServerBuilder builder = InProcessServerBuilder.forName(name).directExecutor();
    services.addTo(builder);
    builder.addTransportFilter(new CallLoops(() -> loop, clock::monotonicNanos).filter());
    builder.intercept(new ContractGuard());
    try {
      server = builder.build().start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    channel = newConnection();
    calls = channel;
    makeSchema();
  }

  /** Makes the calls of {@link #stub} in that way from now on. */
  Service over(Way way) {
    calls = way == Way.SESSION ? new SessionChannel(channel) : channel;
    return this;
  }

  /** Another connection, which its test closes. */
  ManagedChannel newConnection() {
    return InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  /** One that asks callers who they are. */
  static Service withAuthentication() {
    return new Service(
        Partitioners.RANDOM,
        RpcSettings.defaults(),
        s -> s,
        CallMetrics.NONE,
        NodeMemory.unbounded(),
        true);
  }

  static Service start() {
    return start(Partitioners.RANDOM);
  }

  static Service start(Partitioner partitioner) {
    return new Service(
        partitioner,
        RpcSettings.defaults(),
        s -> s,
        CallMetrics.NONE,
        NodeMemory.unbounded(),
        false);
  }

  static Service start(RpcSettings settings, Function<RowStore, RowStore> between) {
    return start(settings, between, NodeMemory.unbounded());
  }

  static Service start(
      RpcSettings settings, Function<RowStore, RowStore> between, NodeMemory memory) {
    return new Service(
        Partitioners.BYTE_ORDERED, settings, between, CallMetrics.NONE, memory, false);
  }

  static Service start(CallMetrics metrics) {
    return start(RpcSettings.defaults(), s -> s, metrics);
  }

  static Service start(
      RpcSettings settings, Function<RowStore, RowStore> between, CallMetrics metrics) {
    return new Service(
        Partitioners.RANDOM, settings, between, metrics, NodeMemory.unbounded(), false);
  }

  private void makeSchema() {
    rows.createKeyspace(
            KeyspaceDefinition.of(KS)
                .withFamily(FamilyDefinition.standard("", "Standard1", "BytesType"))
                .withFamily(FamilyDefinition.standard("", "Long1", "LongType"))
                .withFamily(FamilyDefinition.superFamily("", "Super1", "BytesType", "LongType"))
                .withFamily(FamilyDefinition.superFamily("", "Super2", "BytesType", "BytesType")))
        .join();
  }

  ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub stub() {
    return ColumnStoreServiceGrpc.newBlockingStub(calls);
  }

  ColumnStoreServiceGrpc.ColumnStoreServiceStub async() {
    return ColumnStoreServiceGrpc.newStub(channel);
  }

  SchemaServiceGrpc.SchemaServiceBlockingStub schema() {
    return SchemaServiceGrpc.newBlockingStub(channel);
  }

  void truncate(String family) {
    rows.truncate(
            rows.current().keyspace(KS).orElseThrow().family(family).orElseThrow(), Long.MAX_VALUE)
        .join();
  }

  void insert(String key, String family, String column, String value, long timestamp) {
    stub()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(family))
                .setColumn(column(column, value, timestamp))
                .build());
  }

  void insertSuper(String key, String family, String top, ByteString sub, String value) {
    stub()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(
                    ColumnParent.newBuilder().setColumnFamily(family).setSuperColumn(bytes(top)))
                .setColumn(Column.newBuilder().setName(sub).setValue(bytes(value)).setTimestamp(1))
                .build());
  }

  static Column.Builder column(String name, String value, long timestamp) {
    return Column.newBuilder().setName(bytes(name)).setValue(bytes(value)).setTimestamp(timestamp);
  }

  static ColumnParent parent(String family) {
    return ColumnParent.newBuilder().setColumnFamily(family).build();
  }

  static ColumnParent parent(String family, String superColumn) {
    return ColumnParent.newBuilder()
        .setColumnFamily(family)
        .setSuperColumn(bytes(superColumn))
        .build();
  }

  static SlicePredicate all() {
    return SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()).build();
  }

  static SlicePredicate range(SliceRange.Builder range) {
    return SlicePredicate.newBuilder().setSliceRange(range).build();
  }

  static SlicePredicate names(String... names) {
    ColumnNames.Builder columnNames = ColumnNames.newBuilder();
    for (String name : names) {
      columnNames.addNames(bytes(name));
    }
    return SlicePredicate.newBuilder().setColumnNames(columnNames).build();
  }

  static ByteString bytes(String text) {
    return ByteString.copyFrom(text, StandardCharsets.UTF_8);
  }

  static ByteString number(long value) {
    return ByteString.copyFrom(HexFormat.of().parseHex(HexFormat.of().toHexDigits(value)));
  }

  /** As {@code name=value} or {@code super{name=value ...}}. */
  static String show(List<ColumnOrSuperColumn> columns) {
    StringBuilder text = new StringBuilder();
    for (ColumnOrSuperColumn one : columns) {
      if (text.length() > 0) {
        text.append(' ');
      }
      if (one.hasColumn()) {
        text.append(show(one.getColumn()));
      } else {
        text.append(one.getSuperColumn().getName().toStringUtf8()).append('{');
        List<Column> inner = one.getSuperColumn().getColumnsList();
        for (int i = 0; i < inner.size(); i++) {
          text.append(i == 0 ? "" : " ").append(show(inner.get(i)));
        }
        text.append('}');
      }
    }
    return text.toString();
  }

  private static String show(Column column) {
    ByteString name = column.getName();
    String shown =
        name.size() == 8 && name.byteAt(0) == 0
            ? Long.toString(name.asReadOnlyByteBuffer().getLong())
            : name.toStringUtf8();
    return shown + "=" + column.getValue().toStringUtf8();
  }

  static <T extends com.google.protobuf.Message> @Nullable T detail(
      StatusRuntimeException error, Class<T> type) {
    com.google.rpc.Status status = StatusProto.fromThrowable(error);
    if (status == null) {
      return null;
    }
    for (com.google.protobuf.Any any : status.getDetailsList()) {
      if (any.is(type)) {
        try {
          return any.unpack(type);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return null;
  }

  static String reason(StatusRuntimeException error) {
    ErrorInfo info = detail(error, ErrorInfo.class);
    return info == null ? "no ErrorInfo" : info.getReason();
  }

  static String field(StatusRuntimeException error) {
    BadRequest bad = detail(error, BadRequest.class);
    return bad == null ? "" : bad.getFieldViolations(0).getField();
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
