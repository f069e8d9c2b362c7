package dev.colonnade.client;

import com.google.protobuf.Message;
import dev.colonnade.admin.v1.AcceptLossRequest;
import dev.colonnade.admin.v1.ApplySetAsideRequest;
import dev.colonnade.admin.v1.ApplySetAsideResponse;
import dev.colonnade.admin.v1.ChangeSettingRequest;
import dev.colonnade.admin.v1.CleanupRequest;
import dev.colonnade.admin.v1.CleanupResponse;
import dev.colonnade.admin.v1.ClearSnapshotRequest;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.CreateSnapshotRequest;
import dev.colonnade.admin.v1.DecommissionRequest;
import dev.colonnade.admin.v1.DecommissionResponse;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetGossipStateRequest;
import dev.colonnade.admin.v1.GetGossipStateResponse;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.ListLogLevelsRequest;
import dev.colonnade.admin.v1.ListSettingsRequest;
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
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link Node} with futures. They fail with the exceptions that the waiting methods throw, and
 * cancelling one ends its call, though not always what the node does. Thread-safe.
 */
public final class AsyncNode {

  /** How long the writing or merging of files may take. */
  private static final Duration WORK_DEADLINE = Duration.ofDays(1);

  private final Transport transport;
  private final CallOptions options;

  AsyncNode(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  AsyncNode with(CallOptions other) {
    return new AsyncNode(transport, other);
  }

  /** As {@link Node#info}. */
  public CompletableFuture<NodeStatus> info() {
    return look(
        NodeServiceGrpc.getGetInfoMethod(),
        GetInfoRequest.getDefaultInstance(),
        answer ->
            new NodeStatus(
                RingNode.of(answer.getNode()),
                Duration.ofSeconds(answer.getUptime().getSeconds(), answer.getUptime().getNanos()),
                answer.getHeapUsedBytes(),
                answer.getOffheapUsedBytes()));
  }

  /** As {@link Node#statistics}. */
  public CompletableFuture<NodeStatistics> statistics() {
    return pages(
        NodeServiceGrpc.getGetStatsMethod(),
        token ->
            GetStatsRequest.newBuilder().setPageSize(AnswerPages.SIZE).setPageToken(token).build(),
        GetStatsResponse::getNextPageToken,
        answer ->
            new NodeStatistics(
                answer.getStagesList().stream().map(StageStatistics::of).toList(),
                answer.getColumnFamiliesList().stream().map(ColumnFamilyStatistics::of).toList(),
                answer.getQuarantinedFilesList().stream().map(QuarantinedFile::of).toList(),
                answer.getMessagesList().stream().map(MessageStatistics::of).toList()));
  }

  /** As {@link Node#hints}. */
  public CompletableFuture<List<HintQueue>> hints() {
    return look(
        NodeServiceGrpc.getListHintsMethod(),
        ListHintsRequest.getDefaultInstance(),
        answer -> answer.getQueuesList().stream().map(HintQueue::of).toList());
  }

  /** As {@link Node#gossip}. */
  public CompletableFuture<List<GossipEntry>> gossip() {
    return pages(
        NodeServiceGrpc.getGetGossipStateMethod(),
        token ->
            GetGossipStateRequest.newBuilder()
                .setPageSize(AnswerPages.SIZE)
                .setPageToken(token)
                .build(),
        GetGossipStateResponse::getNextPageToken,
        answer -> answer.getEntriesList().stream().map(GossipEntry::of).toList());
  }

  /** As {@link Node#logLevels}. */
  public CompletableFuture<Map<String, LogLevel>> logLevels() {
    return look(
        NodeServiceGrpc.getListLogLevelsMethod(),
        ListLogLevelsRequest.getDefaultInstance(),
        answer -> {
          Map<String, LogLevel> levels = new LinkedHashMap<>();
          answer
              .getLoggersList()
              .forEach(each -> levels.put(each.getLogger(), LogLevel.of(each.getLevel())));
          return levels;
        });
  }

  /** As {@link Node#setLogLevel}. */
  public CompletableFuture<@Nullable Void> setLogLevel(String logger, LogLevel level) {
    return changeLogLevel(logger, level.message());
  }

  /** As {@link Node#resetLogLevel}. */
  public CompletableFuture<@Nullable Void> resetLogLevel(String logger) {
    return changeLogLevel(logger, dev.colonnade.admin.v1.LogLevel.LOG_LEVEL_UNSPECIFIED);
  }

  private CompletableFuture<@Nullable Void> changeLogLevel(
      String logger, dev.colonnade.admin.v1.LogLevel level) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getSetLogLevelMethod(),
            SetLogLevelRequest.newBuilder().setLogger(logger).setLevel(level).build(),
            ColumnParentRef.deadline(options),
            Applied.UNKNOWN),
        answer -> null);
  }

  /** As {@link Node#settings}. */
  public CompletableFuture<List<NodeSetting>> settings() {
    return look(
        NodeServiceGrpc.getListSettingsMethod(),
        ListSettingsRequest.getDefaultInstance(),
        answer -> answer.getSettingsList().stream().map(NodeSetting::of).toList());
  }

  /** As {@link Node#changeSetting}. */
  public CompletableFuture<NodeSetting> changeSetting(String name, String value, boolean keep) {
    return changeSetting(
        ChangeSettingRequest.newBuilder().setName(name).setValue(value).setKeep(keep).build());
  }

  /** As {@link Node#resetSetting}. */
  public CompletableFuture<NodeSetting> resetSetting(String name) {
    return changeSetting(ChangeSettingRequest.newBuilder().setName(name).build());
  }

  private CompletableFuture<NodeSetting> changeSetting(ChangeSettingRequest request) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getChangeSettingMethod(),
            request,
            ColumnParentRef.deadline(options),
            Applied.UNKNOWN),
        answer -> NodeSetting.of(answer.getSetting()));
  }

  /** As {@link Node#flush}. */
  public CompletableFuture<List<String>> flush(String keyspace, String... families) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getFlushMethod(),
            FlushRequest.newBuilder()
                .setKeyspace(keyspace)
                .addAllColumnFamilies(List.of(families))
                .build(),
            ColumnParentRef.deadline(options.withDeadline(WORK_DEADLINE)),
            Applied.UNKNOWN),
        answer -> List.copyOf(answer.getFilesList()));
  }

  /** As {@link Node#drain}. */
  public CompletableFuture<@Nullable Void> drain() {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getDrainMethod(),
            DrainRequest.getDefaultInstance(),
            ColumnParentRef.deadline(options.withDeadline(WORK_DEADLINE)),
            Applied.UNKNOWN),
        answer -> null);
  }

  /** As {@link Node#acceptLoss}. */
  public CompletableFuture<@Nullable Void> acceptLoss(String keyspace, String family, long number) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getAcceptLossMethod(),
            AcceptLossRequest.newBuilder()
                .setKeyspace(keyspace)
                .setColumnFamily(family)
                .setNumber(number)
                .build(),
            ColumnParentRef.deadline(options),
            Applied.UNKNOWN),
        answer -> null);
  }

  /** As {@link Node#applySetAside}. */
  public CompletableFuture<Long> applySetAside(String keyspace, String family, long number) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getApplySetAsideMethod(),
            ApplySetAsideRequest.newBuilder()
                .setKeyspace(keyspace)
                .setColumnFamily(family)
                .setNumber(number)
                .build(),
            ColumnParentRef.deadline(options.withDeadline(WORK_DEADLINE)),
            Applied.UNKNOWN),
        ApplySetAsideResponse::getApplied);
  }

  /** As {@link Node#compact}: its progress, until it is done. Closing the cursor ends it. */
  public AsyncCursor<Progress> compact(String keyspace, List<String> families) {
    return work(
        NodeServiceGrpc.getCompactMethod(),
        CompactRequest.newBuilder().setKeyspace(keyspace).addAllColumnFamilies(families).build(),
        CompactResponse::getProgress);
  }

  /** As {@link Node#scrub}: its progress, until it is done. Closing the cursor ends it. */
  public AsyncCursor<Progress> scrub(String keyspace, List<String> families) {
    return work(
        NodeServiceGrpc.getScrubMethod(),
        ScrubRequest.newBuilder().setKeyspace(keyspace).addAllColumnFamilies(families).build(),
        ScrubResponse::getProgress);
  }

  /** As {@link Node#repair}: its progress, until it is done. Closing the cursor ends it. */
  public AsyncCursor<Progress> repair(String keyspace, List<String> families) {
    return work(
        NodeServiceGrpc.getRepairMethod(),
        RepairRequest.newBuilder().setKeyspace(keyspace).addAllColumnFamilies(families).build(),
        RepairResponse::getProgress);
  }

  /** As {@link Node#repair}, of a part of the ring, or only compared. */
  public AsyncCursor<Progress> repair(RepairScope scope) {
    RepairRequest.Builder request =
        RepairRequest.newBuilder()
            .setKeyspace(scope.keyspace())
            .addAllColumnFamilies(scope.families())
            .setDryRun(scope.isDry());
    scope
        .tokens()
        .ifPresent(
            tokens ->
                request.setRange(
                    dev.colonnade.admin.v1.TokenRange.newBuilder()
                        .setStartToken(tokens.startToken())
                        .setEndToken(tokens.endToken())));
    return work(NodeServiceGrpc.getRepairMethod(), request.build(), RepairResponse::getProgress);
  }

  /**
   * As {@link Node#decommission(boolean, java.util.function.Consumer)}: its progress, until it is
   * done.
   */
  public AsyncCursor<Progress> decommission(boolean force) {
    return work(
        NodeServiceGrpc.getDecommissionMethod(),
        DecommissionRequest.newBuilder().setForce(force).build(),
        DecommissionResponse::getProgress);
  }

  /** As {@link Node#move}: its progress, until it is done. */
  public AsyncCursor<Progress> move(String newToken) {
    return work(
        NodeServiceGrpc.getMoveMethod(),
        MoveRequest.newBuilder().setNewToken(newToken).build(),
        MoveResponse::getProgress);
  }

  /** As {@link Node#loadBalance}: its progress, until it is done. */
  public AsyncCursor<Progress> loadBalance() {
    return work(
        NodeServiceGrpc.getLoadBalanceMethod(),
        LoadBalanceRequest.getDefaultInstance(),
        LoadBalanceResponse::getProgress);
  }

  /** As {@link Node#cleanup}: its progress, until it is done. Closing the cursor ends it. */
  public AsyncCursor<Progress> cleanup(String keyspace, List<String> families) {
    return work(
        NodeServiceGrpc.getCleanupMethod(),
        CleanupRequest.newBuilder().setKeyspace(keyspace).addAllColumnFamilies(families).build(),
        CleanupResponse::getProgress);
  }

  /**
   * As {@link Node#remove(String, boolean, java.util.function.Consumer)}: its progress, until it is
   * done.
   */
  public AsyncCursor<Progress> remove(String nodeId, boolean force) {
    return work(
        NodeServiceGrpc.getRemoveTokenMethod(),
        RemoveTokenRequest.newBuilder().setNodeId(nodeId).setForce(force).build(),
        RemoveTokenResponse::getProgress);
  }

  /** As {@link Node#takeSnapshot}: its progress, until it is done. Closing the cursor ends it. */
  public AsyncCursor<SnapshotStep> takeSnapshot(String name, SnapshotScope scope) {
    return steps(
        NodeServiceGrpc.getCreateSnapshotMethod(),
        CreateSnapshotRequest.newBuilder()
            .setName(name)
            .addAllKeyspaces(scope.keyspaces())
            .addAllColumnFamilies(scope.families())
            .setClusterWide(scope.everywhere())
            .build(),
        answer ->
            new SnapshotStep(
                Progress.of(answer.getProgress()),
                SnapshotAnswers.of(answer.getSnapshotsList(), answer.getFailedList())));
  }

  /** As {@link Node#snapshots}. */
  public CompletableFuture<SnapshotAnswers> snapshots(boolean everywhere) {
    return pages(
        NodeServiceGrpc.getListSnapshotsMethod(),
        token ->
            ListSnapshotsRequest.newBuilder()
                .setClusterWide(everywhere)
                .setPageSize(AnswerPages.SIZE)
                .setPageToken(token)
                .build(),
        ListSnapshotsResponse::getNextPageToken,
        // A node that did not answer is on each page.
        answer ->
            SnapshotAnswers.of(
                answer.getSnapshotsList(), answer.getFailedList().stream().distinct().toList()));
  }

  /** As {@link Node#clearSnapshot}. */
  public CompletableFuture<SnapshotAnswers> clearSnapshot(String name, boolean everywhere) {
    return Transport.map(
        transport.call(
            NodeServiceGrpc.getClearSnapshotMethod(),
            ClearSnapshotRequest.newBuilder().setName(name).setClusterWide(everywhere).build(),
            ColumnParentRef.deadline(options.withDeadline(WORK_DEADLINE)),
            Applied.UNKNOWN),
        answer -> SnapshotAnswers.of(answer.getSnapshotsList(), answer.getFailedList()));
  }

  private <Q, R> AsyncCursor<Progress> work(
      MethodDescriptor<Q, R> method,
      Q request,
      Function<R, dev.colonnade.admin.v1.Progress> progress) {
    return steps(method, request, answer -> Progress.of(progress.apply(answer)));
  }

  private <Q, R, T> AsyncCursor<T> steps(
      MethodDescriptor<Q, R> method, Q request, Function<R, T> step) {
    ChunkStream<Q, R> news =
        new ChunkStream<>(
            transport.channel(),
            new ChunkStream.Protocol<>(method, token -> request, answer -> ""),
            WORK_DEADLINE,
            0);
    return new AsyncCursor<>(
        () ->
            Transport.<@Nullable R, @Nullable List<T>>map(
                news.next(), answer -> answer == null ? null : List.of(step.apply(answer))),
        news::close);
  }

  /** All pages of an answer of one node. */
  private <Q, R extends Message, T> CompletableFuture<T> pages(
      MethodDescriptor<Q, R> method,
      Function<String, Q> request,
      Function<R, String> next,
      Function<R, T> function) {
    return Transport.map(
        transport.pages(method, request, next, ColumnParentRef.deadline(options)), function);
  }

  private <Q, R, T> CompletableFuture<T> look(
      MethodDescriptor<Q, R> method, Q request, Function<R, T> function) {
    return Transport.map(
        transport.call(method, request, ColumnParentRef.deadline(options), Applied.NO), function);
  }
}
