package dev.colonnade.server.service.rpc;

import com.google.protobuf.Duration;
import dev.colonnade.admin.v1.AcceptLossRequest;
import dev.colonnade.admin.v1.AcceptLossResponse;
import dev.colonnade.admin.v1.ApplySetAsideRequest;
import dev.colonnade.admin.v1.ApplySetAsideResponse;
import dev.colonnade.admin.v1.ChangeSettingRequest;
import dev.colonnade.admin.v1.ChangeSettingResponse;
import dev.colonnade.admin.v1.CleanupRequest;
import dev.colonnade.admin.v1.CleanupResponse;
import dev.colonnade.admin.v1.ClearSnapshotRequest;
import dev.colonnade.admin.v1.ClearSnapshotResponse;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.CreateSnapshotRequest;
import dev.colonnade.admin.v1.CreateSnapshotResponse;
import dev.colonnade.admin.v1.DecommissionRequest;
import dev.colonnade.admin.v1.DecommissionResponse;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.DrainResponse;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.FlushResponse;
import dev.colonnade.admin.v1.GetGossipStateRequest;
import dev.colonnade.admin.v1.GetGossipStateResponse;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetInfoResponse;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.GossipEntry;
import dev.colonnade.admin.v1.HintQueue;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.ListHintsResponse;
import dev.colonnade.admin.v1.ListLogLevelsRequest;
import dev.colonnade.admin.v1.ListLogLevelsResponse;
import dev.colonnade.admin.v1.ListSettingsRequest;
import dev.colonnade.admin.v1.ListSettingsResponse;
import dev.colonnade.admin.v1.ListSnapshotsRequest;
import dev.colonnade.admin.v1.ListSnapshotsResponse;
import dev.colonnade.admin.v1.LoadBalanceRequest;
import dev.colonnade.admin.v1.LoadBalanceResponse;
import dev.colonnade.admin.v1.MoveRequest;
import dev.colonnade.admin.v1.MoveResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.RemoveTokenRequest;
import dev.colonnade.admin.v1.RemoveTokenResponse;
import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.admin.v1.RepairResponse;
import dev.colonnade.admin.v1.ScrubRequest;
import dev.colonnade.admin.v1.ScrubResponse;
import dev.colonnade.admin.v1.SetLogLevelRequest;
import dev.colonnade.admin.v1.SetLogLevelResponse;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.admin.MemberFigures;
import dev.colonnade.server.service.admin.NodeOperations;
import dev.colonnade.server.service.consistency.ClusterView;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Serves the administrative calls about this node. Thread-safe. */
final class NodeCalls extends NodeServiceGrpc.NodeServiceImplBase {

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final NodeOperations operations;
  private final ClusterOperations clusterOperations;
  private final Supplier<CompletableFuture<Void>> drain;
  private final RingAdminCalls ringChanges;
  private final ClusterView cluster;
  private final RingProtos ringText;
  private final Supplier<Schema> schema;
  private final SnapshotCalls snapshots;
  private final LogCalls logging;
  private final SettingCalls settings;
  private final RpcContext rpc;

  /**
   * Creates the calls.
   *
   * @param drain refuses callers and then drains the node
   */
  NodeCalls(
      NodeOperations operations,
      ClusterOperations clusterOperations,
      Supplier<CompletableFuture<Void>> drain,
      RingAdmin ringChanges,
      ClusterView cluster,
      RingProtos ringText,
      Supplier<Schema> schema,
      SnapshotCalls snapshots,
      LogCalls logging,
      SettingCalls settings,
      RpcContext rpc) {
    this.operations = operations;
    this.clusterOperations = clusterOperations;
    this.drain = drain;
    this.ringChanges = new RingAdminCalls(ringChanges, cluster, rpc);
    this.cluster = cluster;
    this.ringText = ringText;
    this.schema = schema;
    this.snapshots = snapshots;
    this.logging = logging;
    this.settings = settings;
    this.rpc = rpc;
  }

  @Override
  public void getInfo(GetInfoRequest request, StreamObserver<GetInfoResponse> observer) {
    rpc.read(
        observer,
        () -> {
          NodeOperations.NodeFigures figures = operations.node();
          GetInfoResponse.Builder response =
              GetInfoResponse.newBuilder()
                  .setUptime(
                      Duration.newBuilder()
                          .setSeconds(figures.uptimeNanos() / NANOS_PER_SECOND)
                          .setNanos((int) (figures.uptimeNanos() % NANOS_PER_SECOND)))
                  .setHeapUsedBytes(figures.heapUsedBytes())
                  .setOffheapUsedBytes(figures.offheapUsedBytes());
          response.setNode(ringText.self(cluster.topology()));
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void getStats(GetStatsRequest request, StreamObserver<GetStatsResponse> observer) {
    rpc.read(
        observer,
        () ->
            CompletableFuture.completedFuture(
                StatsMessages.page(
                    operations,
                    AnswerPages.asked(
                        "GetStats",
                        GetStatsRequest.getDefaultInstance(),
                        request.getPageSize(),
                        request.getPageToken()))));
  }

  @Override
  public void acceptLoss(AcceptLossRequest request, StreamObserver<AcceptLossResponse> observer) {
    rpc.write(
        observer,
        () -> {
          Keyspace keyspace = rpc.rules().keyspace(request.getKeyspace());
          ColumnFamily family =
              rpc.rules().family(keyspace, "column_family", request.getColumnFamily());
          return operations
              .acceptLoss(family, request.getNumber())
              .thenApply(
                  accepted -> {
                    if (!accepted) {
                      throw RequestRefusal.invalid(
                          "number",
                          "file "
                              + request.getNumber()
                              + " of "
                              + family.qualifiedName()
                              + " is not in quarantine; GetStats lists those that are");
                    }
                    return AcceptLossResponse.getDefaultInstance();
                  });
        });
  }

  @Override
  public void applySetAside(
      ApplySetAsideRequest request, StreamObserver<ApplySetAsideResponse> observer) {
    rpc.write(
        observer,
        () -> {
          Keyspace keyspace = rpc.rules().keyspace(request.getKeyspace());
          ColumnFamily family =
              rpc.rules().family(keyspace, "column_family", request.getColumnFamily());
          return operations
              .applySetAside(family, request.getNumber())
              .exceptionallyCompose(
                  failure -> CompletableFuture.failedFuture(SetAsideRefusals.translate(failure)))
              .thenApply(
                  applied ->
                      ApplySetAsideResponse.newBuilder()
                          .setApplied(
                              applied.orElseThrow(
                                  () -> SetAsideRefusals.noFile(family, request.getNumber())))
                          .build());
        });
  }

  @Override
  public void flush(FlushRequest request, StreamObserver<FlushResponse> observer) {
    rpc.write(
        observer,
        () ->
            operations
                .flush(families(request.getKeyspace(), request.getColumnFamiliesList()))
                .thenApply(files -> FlushResponse.newBuilder().addAllFiles(files).build()));
  }

  @Override
  public void compact(CompactRequest request, StreamObserver<CompactResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> CompactResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress ->
            operations.compact(
                families(request.getKeyspace(), request.getColumnFamiliesList()), progress));
  }

  @Override
  public void scrub(ScrubRequest request, StreamObserver<ScrubResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> ScrubResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress ->
            operations.scrub(
                families(request.getKeyspace(), request.getColumnFamiliesList()), progress));
  }

  @Override
  public void drain(DrainRequest request, StreamObserver<DrainResponse> observer) {
    rpc.write(observer, () -> drain.get().thenApply(drained -> DrainResponse.getDefaultInstance()));
  }

  @Override
  public void listHints(ListHintsRequest request, StreamObserver<ListHintsResponse> observer) {
    rpc.read(
        observer,
        () -> {
          ListHintsResponse.Builder response = ListHintsResponse.newBuilder();
          for (HintFigures queue : clusterOperations.hints()) {
            response.addQueues(
                HintQueue.newBuilder()
                    .setTargetNodeId(queue.targetId())
                    .setHints(queue.hints())
                    .setOldestMicros(queue.oldestMicros())
                    .setBytes(queue.bytes()));
          }
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void listLogLevels(
      ListLogLevelsRequest request, StreamObserver<ListLogLevelsResponse> observer) {
    rpc.read(observer, () -> CompletableFuture.completedFuture(logging.list()));
  }

  @Override
  public void setLogLevel(
      SetLogLevelRequest request, StreamObserver<SetLogLevelResponse> observer) {
    rpc.write(observer, () -> CompletableFuture.completedFuture(logging.set(request)));
  }

  @Override
  public void listSettings(
      ListSettingsRequest request, StreamObserver<ListSettingsResponse> observer) {
    rpc.read(observer, () -> CompletableFuture.completedFuture(settings.list()));
  }

  @Override
  public void changeSetting(
      ChangeSettingRequest request, StreamObserver<ChangeSettingResponse> observer) {
    rpc.write(observer, () -> settings.change(request));
  }

  @Override
  public void getGossipState(
      GetGossipStateRequest request, StreamObserver<GetGossipStateResponse> observer) {
    rpc.read(
        observer,
        () -> {
          AnswerPages page =
              AnswerPages.asked(
                  "GetGossipState",
                  GetGossipStateRequest.getDefaultInstance(),
                  request.getPageSize(),
                  request.getPageToken());
          GetGossipStateResponse.Builder response = GetGossipStateResponse.newBuilder();
          response.setNextPageToken(
              page.fill(
                  clusterOperations.members(),
                  MemberFigures::nodeId,
                  member -> {
                    GossipEntry entry = entry(member);
                    response.addEntries(entry);
                    return entry.getSerializedSize();
                  }));
          return CompletableFuture.completedFuture(response.build());
        });
  }

  private static GossipEntry entry(MemberFigures member) {
    return GossipEntry.newBuilder()
        .setNodeId(member.nodeId())
        .setGeneration(member.generation())
        .setVersion(member.version())
        .putAllState(member.states())
        .setPhi(member.phi())
        .setLiveness(RingProtos.liveness(member.liveness()))
        .setAddress(member.address())
        .setPeerPort(member.peerPort())
        .build();
  }

  @Override
  public void repair(RepairRequest request, StreamObserver<RepairResponse> observer) {
    AtomicLong mismatched = new AtomicLong();
    ProgressStream.start(
        observer,
        progress ->
            RepairResponse.newBuilder()
                .setProgress(progress)
                .setMismatchedRanges(mismatched.get())
                .build(),
        rpc.errors(),
        progress ->
            ringChanges.repair(
                request,
                replicated(families(request.getKeyspace(), request.getColumnFamiliesList())),
                mismatched,
                progress));
  }

  /** The families except those of the node's own keyspace. */
  private List<ColumnFamily> replicated(List<ColumnFamily> families) {
    return families.stream()
        .filter(family -> !rpc.rules().keyspace(family.keyspace()).isSystem())
        .toList();
  }

  @Override
  public void decommission(
      DecommissionRequest request, StreamObserver<DecommissionResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> DecommissionResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress -> ringChanges.decommission(request.getForce(), progress));
  }

  @Override
  public void move(MoveRequest request, StreamObserver<MoveResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> MoveResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress -> ringChanges.move(request.getNewToken(), progress));
  }

  @Override
  public void loadBalance(
      LoadBalanceRequest request, StreamObserver<LoadBalanceResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> LoadBalanceResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        ringChanges::loadBalance);
  }

  @Override
  public void cleanup(CleanupRequest request, StreamObserver<CleanupResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> CleanupResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress ->
            ringChanges.cleanUp(
                replicated(families(request.getKeyspace(), request.getColumnFamiliesList())),
                progress));
  }

  @Override
  public void removeToken(
      RemoveTokenRequest request, StreamObserver<RemoveTokenResponse> observer) {
    ProgressStream.start(
        observer,
        progress -> RemoveTokenResponse.newBuilder().setProgress(progress).build(),
        rpc.errors(),
        progress -> ringChanges.remove(request, progress));
  }

  @Override
  public void createSnapshot(
      CreateSnapshotRequest request, StreamObserver<CreateSnapshotResponse> observer) {
    snapshots.create(request, observer);
  }

  @Override
  public void listSnapshots(
      ListSnapshotsRequest request, StreamObserver<ListSnapshotsResponse> observer) {
    snapshots.list(request, observer);
  }

  @Override
  public void clearSnapshot(
      ClearSnapshotRequest request, StreamObserver<ClearSnapshotResponse> observer) {
    snapshots.clear(request, observer);
  }

  /**
   * The families that a request names; all of the keyspace, or of all keyspaces, if it names none.
   */
  private List<ColumnFamily> families(String keyspaceName, List<String> names) {
    List<ColumnFamily> families = new ArrayList<>();
    if (keyspaceName.isEmpty()) {
      if (!names.isEmpty()) {
        throw RequestRefusal.invalid(
            "keyspace", "column families are named together with their keyspace");
      }
      for (Keyspace keyspace : schema.get().keyspaces().values()) {
        families.addAll(keyspace.families().values());
      }
      return families;
    }
    Keyspace keyspace = rpc.rules().keyspace(keyspaceName);
    if (names.isEmpty()) {
      families.addAll(keyspace.families().values());
    }
    for (int i = 0; i < names.size(); i++) {
      ColumnFamily family =
          rpc.rules().family(keyspace, "column_families[" + i + "]", names.get(i));
      if (!families.contains(family)) {
        families.add(family);
      }
    }
    return families;
  }
}
