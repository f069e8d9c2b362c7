package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DecommissionRequest;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsResponse;
import dev.colonnade.admin.v1.DescribeSplitsRequest;
import dev.colonnade.admin.v1.DescribeSplitsResponse;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.DrainResponse;
import dev.colonnade.admin.v1.GetGossipStateRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GossipEntry;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListHintsRequest;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.Liveness;
import dev.colonnade.admin.v1.MessageStats;
import dev.colonnade.admin.v1.MoveRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RemoveTokenRequest;
import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.admin.v1.RepairResponse;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.admin.v1.UpdateKeyspaceRequest;
import dev.colonnade.admin.v1.WatchRingRequest;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.cluster.ring.Topology.Place;
import dev.colonnade.server.cluster.ring.Topology.RingState;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.StreamMutateRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How calls show a ring of several nodes, and how a node is drained. */
final class RingCallsTest {

  private final Service service = Service.start();
  private final ClusterServiceGrpc.ClusterServiceBlockingStub cluster =
      ClusterServiceGrpc.newBlockingStub(service.channel);
  private final NodeServiceGrpc.NodeServiceBlockingStub node =
      NodeServiceGrpc.newBlockingStub(service.channel);

  @AfterEach
  void stop() {
    service.close();
  }

  private static dev.colonnade.server.cluster.ring.RingNode at(String id, int... token) {
    byte[] bytes = new byte[16];
    for (int i = 0; i < token.length; i++) {
      bytes[i] = (byte) token[i];
    }
    return new dev.colonnade.server.cluster.ring.RingNode(
        id, "127.0.0.1", 7000, 9160, "dc1", "r1", List.of(bytes));
  }

  private static Topology three(boolean secondAlive) {
    dev.colonnade.server.cluster.ring.RingNode self = at("n1", 0x20);
    return Topology.of(
        self,
        List.of(
            new Place(self, RingState.NORMAL, List.of(), true),
            new Place(at("n2", 0x40), RingState.LEAVING, List.of(), secondAlive),
            new Place(at("n3", 0x60), RingState.JOINING, List.of(), true)));
  }

  /** A caller that takes messages only on request. */
  private static final class Watcher
      implements ClientResponseObserver<WatchRingRequest, WatchRingResponse> {
    private final List<WatchRingResponse> messages = new ArrayList<>();
    private @Nullable ClientCallStreamObserver<WatchRingRequest> call;
    private @Nullable Throwable failure;
    private boolean completed;

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRingRequest> started) {
      started.disableAutoRequestWithInitial(1);
      call = started;
    }

    @Override
    public void onNext(WatchRingResponse message) {
      messages.add(message);
    }

    @Override
    public void onError(Throwable error) {
      failure = error;
    }

    @Override
    public void onCompleted() {
      completed = true;
    }

    void take() {
      if (call != null) {
        call.request(1);
      }
    }

    List<String> last() {
      return messages.get(messages.size() - 1).getChangedList().stream()
          .map(
              node ->
                  node.getEndpoint().getNodeId()
                      + " "
                      + node.getState().name().substring("NODE_STATE_".length())
                      + " "
                      + node.getLiveness().name().substring("LIVENESS_".length()))
          .toList();
    }
  }

  private Watcher watch() {
    Watcher watcher = new Watcher();
    ClusterServiceGrpc.newStub(service.channel)
        .watchRing(WatchRingRequest.getDefaultInstance(), watcher);
    return watcher;
  }

  @Test
  void theRingShowsWhereEachNodeStandsAndWhetherItIsUp() {
    service.node.phi = 3.5;
    service.node.become(three(false));
    List<RingNode> nodes =
        cluster.describeRing(DescribeRingRequest.getDefaultInstance()).getNodesList();
    assertEquals(
        List.of(
            NodeState.NODE_STATE_NORMAL,
            NodeState.NODE_STATE_LEAVING,
            NodeState.NODE_STATE_JOINING),
        nodes.stream().map(RingNode::getState).toList());
    assertEquals(
        List.of(Liveness.LIVENESS_UP, Liveness.LIVENESS_DOWN, Liveness.LIVENESS_UP),
        nodes.stream().map(RingNode::getLiveness).toList());
    assertEquals(0.75, nodes.get(0).getOwns(), 1e-9);
    assertEquals(0.25, nodes.get(1).getOwns(), 1e-9);
    assertEquals(0, nodes.get(2).getOwns());
    assertEquals(3.5, nodes.get(1).getPhi());
    assertEquals(30, nodes.get(1).getLoadBytes());
    assertEquals(3, nodes.get(1).getHintsPending());
    assertEquals("v2", nodes.get(1).getSchemaVersion());
    assertEquals(1, nodes.get(2).getTokensCount());
    assertEquals(nodes.get(0), node.getInfo(GetInfoRequest.getDefaultInstance()).getNode());
    DescribeSchemaVersionsResponse versions =
        service.schema().describeSchemaVersions(DescribeSchemaVersionsRequest.getDefaultInstance());
    assertFalse(versions.getAgreed());
  }

  @Test
  void aWatchShowsTheWholeRingAndThenWhatChanges() {
    service.node.become(three(true));
    Watcher watcher = watch();
    assertEquals(List.of("n1 NORMAL UP", "n2 LEAVING UP", "n3 JOINING UP"), watcher.last());
    watcher.take();
    service.node.phi = 1;
    service.node.become(three(true));
    assertEquals(1, watcher.messages.size());
    service.node.become(three(false));
    assertEquals(List.of("n2 LEAVING DOWN"), watcher.last());
    assertEquals(1.0, watcher.messages.get(1).getChanged(0).getPhi());
    watcher.take();
    service.node.become(Topology.alone(at("n1", 0x20)));
    assertEquals(List.of("n1 NORMAL UP", "n2 LEFT DOWN", "n3 LEFT UP"), watcher.last());
    assertEquals(3, watcher.messages.size());
  }

  @Test
  void aSlowWatcherHearsOnlyOfTheNewestState() {
    service.node.become(three(true));
    Watcher watcher = watch();
    assertEquals(1, watcher.messages.size());
    for (int i = 0; i < 10; i++) {
      service.node.become(three(i % 2 == 0));
    }
    watcher.take();
    assertEquals(2, watcher.messages.size(), "one message waits at most");
    watcher.take();
    watcher.take();
    int heard = watcher.messages.size();
    assertTrue(heard <= 3, "messages: " + heard);
    assertEquals(List.of("n2 LEAVING DOWN"), watcher.last());
  }

  @Test
  void aWatchEndsWithItsCallerAndWithTheNode() {
    Watcher gone = watch();
    Watcher left = watch();
    assertEquals(2, service.node.looks.size());
    if (gone.call != null) {
      gone.call.cancel("enough", null);
    }
    assertEquals(1, service.node.looks.size());
    service.services.stop();
    assertEquals(0, service.node.looks.size());
    assertFalse(left.completed);
    StatusRuntimeException failure = assertInstanceOf(StatusRuntimeException.class, left.failure);
    assertEquals("NODE_NOT_READY", Service.reason(failure));
  }

  @Test
  void splitsFollowTheRingAndSayWhoHoldsThem() {
    service.node.become(three(true));
    List<DescribeSplitsResponse> splits = splits(DescribeSplitsRequest.newBuilder());
    assertEquals(2, splits.size());
    String last = splits.get(splits.size() - 1).getRange().getEndToken();
    for (DescribeSplitsResponse split : splits) {
      assertEquals(last, split.getRange().getStartToken());
      last = split.getRange().getEndToken();
    }
    assertEquals(65_536, splits.get(0).getEstimatedKeys());
    assertEquals("n1", splits.get(0).getRange().getEndpoints(0).getNodeId());
    assertEquals(0, splits.get(1).getEstimatedKeys(), "there is no copy on this node");
    assertEquals("n2", splits.get(1).getRange().getEndpoints(0).getNodeId());
  }

  @Test
  void splitsWithinARangeCoverItAndNoMore() {
    service.node.become(three(true));
    String start = splits(DescribeSplitsRequest.newBuilder()).get(0).getRange().getEndToken();
    for (String[] bounds :
        List.of(
            new String[] {"5", "9"},
            new String[] {"9", "5"},
            new String[] {start, start},
            new String[] {"7", "7"},
            new String[] {start, "9"})) {
      List<DescribeSplitsResponse> splits =
          splits(
              DescribeSplitsRequest.newBuilder()
                  .setKeysPerSplit(10)
                  .setWithin(
                      TokenRange.newBuilder().setStartToken(bounds[0]).setEndToken(bounds[1])));
      String at = bounds[0];
      for (DescribeSplitsResponse split : splits) {
        assertEquals(at, split.getRange().getStartToken());
        at = split.getRange().getEndToken();
      }
      assertEquals(bounds[1], at);
    }
  }

  private List<DescribeSplitsResponse> splits(DescribeSplitsRequest.Builder request) {
    List<DescribeSplitsResponse> splits = new ArrayList<>();
    cluster
        .describeSplits(request.setKeyspace(KS).setColumnFamily("Standard1").build())
        .forEachRemaining(splits::add);
    return splits;
  }

  @Test
  void splitsOfWhatDoesNotExistAreRefused() {
    DescribeSplitsRequest request =
        DescribeSplitsRequest.newBuilder().setKeyspace(KS).setColumnFamily("Standard1").build();
    assertRefused("COLUMN_FAMILY_NOT_FOUND", request.toBuilder().setColumnFamily("No"));
    assertRefused("KEYSPACE_NOT_FOUND", request.toBuilder().setKeyspace("No"));
    assertRefused("INVALID_REQUEST", request.toBuilder().setKeyspace("system"));
    assertRefused("INVALID_REQUEST", request.toBuilder().setKeysPerSplit(-1));
    assertRefused(
        "INVALID_REQUEST",
        request.toBuilder().setWithin(TokenRange.newBuilder().setStartToken("x").setEndToken("1")));
  }

  private void assertRefused(String reason, DescribeSplitsRequest.Builder request) {
    StatusRuntimeException error =
        assertThrows(
            StatusRuntimeException.class, () -> cluster.describeSplits(request.build()).hasNext());
    assertEquals(reason, Service.reason(error));
  }

  @Test
  void messagesHintsAndGossipAreShown() {
    service.node.become(three(false));
    MessageStats message = node.getStats(GetStatsRequest.getDefaultInstance()).getMessages(0);
    assertEquals("MUTATION", message.getVerb());
    assertEquals(
        List.of(1L, 2L, 3L),
        List.of(message.getSent(), message.getReceived(), message.getDropped()));
    assertEquals(7.5, message.getLatencyMicros());
    var hints = node.listHints(ListHintsRequest.getDefaultInstance());
    assertEquals("n2", hints.getQueues(0).getTargetNodeId());
    assertEquals(3, hints.getQueues(0).getHints());
    assertEquals(4, hints.getQueues(0).getBytes());
    assertEquals(5, hints.getQueues(0).getOldestMicros());
    GossipEntry second =
        node.getGossipState(GetGossipStateRequest.getDefaultInstance()).getEntries(1);
    assertEquals("n2", second.getNodeId());
    assertEquals(5, second.getGeneration());
    assertEquals("30", second.getStateOrThrow("LOAD"));
    assertEquals(Liveness.LIVENESS_DOWN, second.getLiveness());
  }

  @Test
  void aKeyspaceWithMoreCopiesThanNodesIsRefusedUnlessForced() {
    SchemaServiceGrpc.SchemaServiceBlockingStub schema =
        SchemaServiceGrpc.newBlockingStub(service.channel);
    KeyspaceDef.Builder three = KeyspaceDef.newBuilder().setName("Three").setReplicationFactor(3);
    CreateKeyspaceRequest create = CreateKeyspaceRequest.newBuilder().setKeyspace(three).build();
    assertEquals("NOT_ENOUGH_NODES", reasonOf(() -> schema.createKeyspace(create)));
    schema.createKeyspace(create.toBuilder().setForce(true).build());
    assertEquals("KEYSPACE_EXISTS", reasonOf(() -> schema.createKeyspace(create)));
    // What is short already may be changed in other ways, and become less short.
    UpdateKeyspaceRequest update =
        UpdateKeyspaceRequest.newBuilder().setKeyspace(three.setDurableWrites(false)).build();
    schema.updateKeyspace(update);
    UpdateKeyspaceRequest more =
        UpdateKeyspaceRequest.newBuilder().setKeyspace(three.setReplicationFactor(4)).build();
    assertEquals("NOT_ENOUGH_NODES", reasonOf(() -> schema.updateKeyspace(more)));
    service.node.become(three(true));
    UpdateKeyspaceRequest two =
        UpdateKeyspaceRequest.newBuilder().setKeyspace(three.setReplicationFactor(2)).build();
    schema.updateKeyspace(two);
    assertEquals(
        "NOT_ENOUGH_NODES",
        reasonOf(() -> schema.updateKeyspace(update)),
        "one of the three leaves, and one that joins counts");
    schema.updateKeyspace(update.toBuilder().setForce(true).build());
    assertEquals(
        3,
        schema
            .getKeyspace(GetKeyspaceRequest.newBuilder().setName("Three").build())
            .getKeyspace()
            .getReplicationFactor());
  }

  @Test
  void changesOfTheRingTellHowFarTheyAreAndWhyTheyFail() {
    List<RepairResponse> repair = new ArrayList<>();
    node.repair(RepairRequest.newBuilder().setKeyspace(KS).build()).forEachRemaining(repair::add);
    RepairResponse last = repair.get(repair.size() - 1);
    assertEquals("done", last.getProgress().getPhase());
    assertEquals(4, last.getProgress().getTotal());
    assertEquals(2, last.getMismatchedRanges());
    List<String> move = new ArrayList<>();
    node.move(MoveRequest.newBuilder().setNewToken("7").build())
        .forEachRemaining(answer -> move.add(answer.getProgress().getPhase()));
    assertEquals("done", move.get(move.size() - 1));
    assertEquals(
        "INVALID_REQUEST",
        reasonOf(() -> node.move(MoveRequest.newBuilder().setNewToken("x").build()).hasNext()));
    assertEquals(
        "RING_CHANGE_FAILED",
        reasonOf(() -> node.decommission(DecommissionRequest.getDefaultInstance()).hasNext()));
    service.node.become(three(false));
    List<String> removed = new ArrayList<>();
    node.removeToken(RemoveTokenRequest.newBuilder().setNodeId("n2").build())
        .forEachRemaining(answer -> removed.add(answer.getProgress().getPhase()));
    assertEquals("done", removed.get(removed.size() - 1));
    service.node.neededNode = "n2";
    RemoveTokenRequest needed = RemoveTokenRequest.newBuilder().setNodeId("n2").build();
    assertEquals("NOT_ENOUGH_NODES", reasonOf(() -> node.removeToken(needed).hasNext()));
    assertTrue(node.removeToken(needed.toBuilder().setForce(true).build()).hasNext());
    assertEquals(
        "INVALID_REQUEST",
        reasonOf(
            () ->
                node.removeToken(RemoveTokenRequest.newBuilder().setToken("9").build()).hasNext()));
  }

  private static String reasonOf(org.junit.jupiter.api.function.Executable call) {
    return Service.reason(assertThrows(StatusRuntimeException.class, call));
  }

  @Test
  void aDrainedNodeTakesNoMoreCallsButGoesOnAboutItself() {
    service.services.serving(() -> true);
    CompletableFuture<MutateOutcome> outcome = new CompletableFuture<>();
    StreamObserver<StreamMutateRequest> open =
        service
            .async()
            .streamMutate(
                new StreamObserver<>() {
                  @Override
                  public void onNext(dev.colonnade.v1.StreamMutateResponse answer) {
                    if (answer.getOutcomesCount() > 0) {
                      outcome.complete(answer.getOutcomes(0));
                    }
                  }

                  @Override
                  public void onError(Throwable error) {
                    outcome.completeExceptionally(error);
                  }

                  @Override
                  public void onCompleted() {
                    outcome.complete(MutateOutcome.getDefaultInstance());
                  }
                });
    CompletableFuture<Boolean> drained = new CompletableFuture<>();
    NodeServiceGrpc.newStub(service.channel)
        .drain(
            DrainRequest.getDefaultInstance(),
            new StreamObserver<>() {
              @Override
              public void onNext(DrainResponse answer) {
                drained.complete(true);
              }

              @Override
              public void onError(Throwable error) {
                drained.completeExceptionally(error);
              }

              @Override
              public void onCompleted() {
                drained.complete(false);
              }
            });
    assertNull(drained.getNow(null), "it waits for the stream under way");
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                service
                    .stub()
                    .getCount(
                        GetCountRequest.newBuilder().setKeyspace(KS).setKey(bytes("k")).build()));
    assertEquals(Status.Code.UNAVAILABLE, refused.getStatus().getCode());
    assertEquals("NODE_NOT_READY", Service.reason(refused));
    assertThrows(
        StatusRuntimeException.class,
        () -> service.schema().listKeyspaces(ListKeyspacesRequest.getDefaultInstance()));
    assertEquals(
        ServingStatus.NOT_SERVING,
        HealthGrpc.newBlockingStub(service.channel)
            .check(HealthCheckRequest.getDefaultInstance())
            .getStatus());
    open.onCompleted();
    assertEquals(true, drained.getNow(null));
    // On real nodes it moved rows, could not save that it had left, and reported an internal error.
    StatusRuntimeException unmoved =
        assertThrows(
            StatusRuntimeException.class,
            () -> node.decommission(DecommissionRequest.getDefaultInstance()).hasNext());
    assertEquals("NODE_NOT_READY", Service.reason(unmoved));
    assertEquals(1, node.getInfo(GetInfoRequest.getDefaultInstance()).getUptime().getSeconds());
  }
}
