package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.DescribeLoadRequest;
import dev.colonnade.admin.v1.DescribeLoadResponse;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommit;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadProgress;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.LogLevels;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.repair.FakeRepairs;
import dev.colonnade.server.cluster.repair.RepairTask;
import dev.colonnade.server.cluster.repair.RepairTasks;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.backup.ClusterSnapshots;
import dev.colonnade.server.service.backup.SnapshotAnswers;
import dev.colonnade.server.service.backup.SnapshotOperations;
import dev.colonnade.server.service.bulkload.BulkLoad;
import dev.colonnade.server.service.bulkload.BulkLoader;
import dev.colonnade.server.service.bulkload.BulkLoads;
import dev.colonnade.server.service.bulkload.LoadTarget;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.consistency.PeerClient;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.RangeScan;
import dev.colonnade.server.storage.engine.RowSpan;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** BulkLoadService over a real store on a simulated disk, clock and scheduler. */
final class LoadService implements AutoCloseable {

  /** What tests without loads hand to the services. */
  static final BulkLoader NO_LOADS =
      new BulkLoader() {
        @Override
        public BulkLoad open(LoadTarget target) {
          throw new CoordinationException.NodeNotReady("this test has no bulk loads");
        }

        @Override
        public CompletableFuture<Boolean> scheduleRepair(Keyspace keyspace, RepairTask task) {
          throw new CoordinationException.NodeNotReady("this test has no bulk loads");
        }
      };

  /** What tests without snapshots hand to the services. */
  static final SnapshotOperations NO_SNAPSHOTS =
      new SnapshotOperations() {
        @Override
        public CompletableFuture<SnapshotAnswers> take(
            String name,
            List<FamilyId> families,
            boolean clusterWide,
            Consumer<NodeOperations.WorkProgress> progress) {
          return none();
        }

        @Override
        public CompletableFuture<SnapshotAnswers> list(boolean clusterWide) {
          return none();
        }

        @Override
        public CompletableFuture<SnapshotAnswers> clear(String name, boolean clusterWide) {
          return none();
        }

        private static CompletableFuture<SnapshotAnswers> none() {
          return CompletableFuture.failedFuture(
              new CoordinationException.NodeNotReady("this test has no snapshots"));
        }
      };

  static final long TIMESTAMP = 1_700_000_000_000_000L;
  static final long NOW_SECONDS = 1_700_000_000L;

  /** The whole ring. */
  static final TokenRange ALL = TokenRange.newBuilder().setStartToken("0").setEndToken("0").build();

  static final BulkLoads.Settings SETTINGS = new BulkLoads.Settings(2, 0, Duration.ofSeconds(60));

  final SimFileSystem disk;
  final SimulatedStore store;
  final TestNode node = new TestNode(Partitioners.RANDOM);
  final MemoryPool heap = new MemoryPool(64 << 20, 0);
  final FakeRepairs repairs;
  final BulkLoads loads;
  private final ManagedChannel channel;
  private final Server server;

  LoadService() throws Exception {
    this(new SimFileSystem(), SETTINGS);
  }

  LoadService(SimFileSystem disk, BulkLoads.Settings settings) throws Exception {
    this.disk = disk;
    this.store = SimulatedStore.open(disk, SimulatedStore.TINY, new SimClock());
    if (store.schema().current().keyspace("K").isEmpty()) {
      store.await(
          store
              .schema()
              .createKeyspace(
                  KeyspaceDefinition.of("K")
                      .withFamily(FamilyDefinition.standard("", "Plain", "BytesType"))
                      .withFamily(
                          FamilyDefinition.superFamily("", "Nested", "BytesType", "BytesType"))));
    }
    this.repairs = new FakeRepairs(node::topology, store.schema()::current);
    this.loads =
        new BulkLoads(
            store.engine(),
            store.schema()::current,
            node,
            store.clock(),
            store.scheduler(),
            settings,
            new RepairTasks(repairs, repairs, id -> false, store.clock(), store.scheduler()));
    loads.start();
    RpcServices services =
        new RpcServices(
            new RpcServer.Backend(
                store.coordinator(),
                touch -> CompletableFuture.completedFuture(0),
                store.schema(),
                node,
                node,
                node,
                node,
                loads,
                new ClusterSnapshots(
                    store.engine().snapshots(),
                    store.schema()::current,
                    List::of,
                    node,
                    PeerClient.NONE,
                    store.clock()),
                new IncreasingTimestamps(store.clock()),
                store.clock(),
                store.scheduler(),
                NodeMemory.of(MemoryPlan.forHeap(1L << 30), heap, MemoryPool.unbounded()),
                PlugIns.NONE,
                LogLevels.FIXED,
                TestSettings.over(store.scheduler())),
            RpcSettings.defaults(),
            CallMetrics.NONE,
            TestAccess.open(store.clock(), store.scheduler()));
    String name = "load-test-" + UUID.randomUUID();
    InProcessServerBuilder builder = InProcessServerBuilder.forName(name).directExecutor();
    services.addTo(builder);
    builder.intercept(new ContractGuard());
    server = builder.build().start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  BulkLoadServiceGrpc.BulkLoadServiceStub stub() {
    return BulkLoadServiceGrpc.newStub(channel);
  }

  DescribeLoadResponse describe(String family) {
    return BulkLoadServiceGrpc.newBlockingStub(channel)
        .describeLoad(
            DescribeLoadRequest.newBuilder().setKeyspace("K").setColumnFamily(family).build());
  }

  /** Asks for a repair of the whole ring with another node. */
  ScheduleRepairRequest.Builder repair(String family, String nodeId) {
    return ScheduleRepairRequest.newBuilder()
        .setKeyspace("K")
        .setColumnFamily(family)
        .setFamilyId(describe(family).getFamilyId())
        .setNodeId(nodeId)
        .addRanges(ALL);
  }

  boolean schedules(ScheduleRepairRequest.Builder request) {
    return BulkLoadServiceGrpc.newBlockingStub(channel)
        .scheduleRepair(request.build())
        .getScheduled();
  }

  LoadHeader.Builder header(String family) {
    DescribeLoadResponse described = describe(family);
    return LoadHeader.newBuilder()
        .setKeyspace("K")
        .setColumnFamily(family)
        .setFamilyId(described.getFamilyId())
        .setTruncation(described.getTruncation())
        .setSchemaVersion(described.getSchemaVersion())
        .addRanges(ALL)
        .setTimestamp(TIMESTAMP)
        .setNowSeconds(NOW_SECONDS)
        .setPurpose("a test");
  }

  /** Opens a call and sends its header. */
  Call load(LoadHeader.Builder header) {
    Call call = new Call();
    call.requests = stub().loadRows(call);
    call.send(LoadRowsRequest.newBuilder().setHeader(header));
    return call;
  }

  /** Rows by their keys, each as the text of its atoms. */
  SortedMap<String, String> content(String family) throws Exception {
    return content(store, family);
  }

  static SortedMap<String, String> content(SimulatedStore store, String familyName)
      throws Exception {
    ColumnFamily family = store.family("K", familyName);
    RowSpan all = new RowSpan(RowKey.firstOf(new byte[0]), Optional.empty());
    SortedMap<String, String> rows = new TreeMap<>();
    RangeScan opened = store.await(store.engine().scan(family.id(), List.of(all)));
    store.guarded().enforce(false);
    try (RangeScan scan = opened) {
      while (scan.nextRow()) {
        StringBuilder row = new StringBuilder().append(scan.rowDeletion()).append(scan.open());
        for (Atom atom = scan.nextAtom(); atom != null; atom = scan.nextAtom()) {
          row.append('\n').append(atom);
        }
        rows.put(new String(scan.key().key(), StandardCharsets.UTF_8), row.toString());
      }
    }
    store.guarded().enforce(true);
    return rows;
  }

  /** Files of loads that are not live. */
  List<String> unfinishedFiles() throws Exception {
    List<String> unfinished = new ArrayList<>();
    for (String directory : disk.list("keyspaces/K")) {
      for (String name : disk.list("keyspaces/K/" + directory)) {
        if (name.endsWith(".tmp")) {
          unfinished.add(name);
        }
      }
    }
    return unfinished;
  }

  /** The heap that requests hold beside what each open call has. */
  long requestBytes() {
    return heap.usedBytes(MemoryUse.REQUESTS);
  }

  static LoadChunk chunk(long number, List<LoadRow> rows) {
    ByteString encoded = LoadRowsChunk.newBuilder().addAllRows(rows).build().toByteString();
    return LoadChunk.newBuilder()
        .setNumber(number)
        .setRows(encoded)
        .setChecksum(Checksums.crc32c(encoded.toByteArray()))
        .build();
  }

  /** One load, as its client sees it. */
  final class Call implements StreamObserver<LoadRowsResponse> {
    private @Nullable StreamObserver<LoadRowsRequest> requests;
    private long chunks;
    private long rows;
    @Nullable LoadProgress progress;
    @Nullable LoadCommitted committed;
    @Nullable Throwable failure;
    boolean over;

    void send(LoadRowsRequest.Builder request) {
      if (requests == null) {
        throw new IllegalStateException("the call was not begun");
      }
      requests.onNext(request.build());
    }

    Call chunk(List<LoadRow> part) {
      rows += part.stream().filter(row -> !row.getContinues()).count();
      send(LoadRowsRequest.newBuilder().setChunk(LoadService.chunk(chunks++, part)));
      return this;
    }

    /** Waits until all chunks are written. */
    Call written() {
      store.scheduler().runUntil(this::hasWritten, Duration.ofMinutes(10));
      return this;
    }

    private boolean hasWritten() {
      LoadProgress now = progress;
      return over || (now != null && now.getChunks() == chunks);
    }

    /** Commits what was sent. */
    Call commit() {
      return commit(chunks, rows);
    }

    Call commit(long chunksSaid, long rowsSaid) {
      send(
          LoadRowsRequest.newBuilder()
              .setCommit(LoadCommit.newBuilder().setChunks(chunksSaid).setRows(rowsSaid)));
      return this;
    }

    Call halfClose() {
      if (requests != null) {
        requests.onCompleted();
      }
      return this;
    }

    Call cancel() {
      if (requests != null) {
        requests.onError(new IllegalStateException("the client gives up"));
      }
      return this;
    }

    Call await() {
      store.scheduler().runUntil(() -> over, Duration.ofMinutes(10));
      store.guarded().check();
      return this;
    }

    /** The reason of its failure. */
    String reason() {
      await();
      return failure instanceof StatusRuntimeException error
          ? Service.reason(error)
          : "no failure, but " + committed;
    }

    String message() {
      return failure == null ? "no failure" : String.valueOf(failure.getMessage());
    }

    @Override
    public void onNext(LoadRowsResponse answer) {
      if (answer.hasProgress()) {
        progress = answer.getProgress();
      } else {
        committed = answer.getCommitted();
      }
    }

    @Override
    public void onError(Throwable error) {
      failure = error;
      over = true;
    }

    @Override
    public void onCompleted() {
      over = true;
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
