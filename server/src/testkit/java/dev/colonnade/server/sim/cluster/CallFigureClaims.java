package dev.colonnade.server.sim.cluster;

import static dev.colonnade.server.sim.cluster.FigureScenario.ALL;
import static dev.colonnade.server.sim.cluster.FigureScenario.bytes;
import static dev.colonnade.server.sim.cluster.FigureScenario.column;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.Machine;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.TouchRequest;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;

/** What the answer of a call says of that call. */
final class CallFigureClaims {

  private final FigureScenario cluster;

  CallFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("RequestStats.coordinator", this::theNodeThatWasAsked);
    claims.put("RequestStats.replicas", () -> theReplicasOfACall("Asked"));
    claims.put("RequestStats.replicas_answered", () -> theReplicasOfACall("Answered"));
    claims.put("RequestStats.server_micros", this::theTimeAtTheCoordinator);
    claims.put("GetCountResponse.count", this::columnsOfARow);
    claims.put("KeyCount.count", this::columnsOfRows);
    claims.put("InsertResponse.timestamp", this::theTimestampOfAnInsert);
    claims.put("RemoveResponse.timestamp", this::theTimestampOfARemoval);
    claims.put("BatchMutateResponse.timestamp", this::theTimestampOfABatch);
    claims.put("TouchResponse.keys_loaded", this::keysThatWereFound);
    claims.put("MutateOutcome.timestamp", this::theTimestampOfABatchInAStream);
    claims.put("MutateOutcome.code", this::aBatchThatIsRefused);
    claims.put("MutateOutcome.required", () -> aBatchWithTooFewReplicas("Required"));
    claims.put("MutateOutcome.received", () -> aBatchWithTooFewReplicas("Received"));
  }

  private void theNodeThatWasAsked() {
    String family = cluster.family("Coordinator");
    for (int at = 0; at < 3; at++) {
      assertEquals(cluster.id(at), cluster.cost(at, family, "row").getCoordinator());
    }
  }

  private void theReplicasOfACall(String name) {
    String family = cluster.family("Replicas_" + name);
    List<String> all = Stream.of(0, 1, 2).map(cluster::id).sorted().toList();
    RequestStats write = cluster.insert(0, family, "row", "a", "1").getStats();
    assertEquals(all, write.getReplicasList());
    assertEquals(all, write.getReplicasAnsweredList());
    RequestStats own = cluster.cost(1, family, "row");
    assertEquals(List.of(cluster.id(1)), own.getReplicasList());
    assertEquals(List.of(cluster.id(1)), own.getReplicasAnsweredList());
    RequestStats unawaited =
        cluster
            .insert(0, family, "row", column("a", "2"), ConsistencyLevel.CONSISTENCY_LEVEL_ZERO)
            .getStats();
    assertEquals(all, unawaited.getReplicasList());
    assertEquals(List.of(), unawaited.getReplicasAnsweredList());
  }

  private void theTimeAtTheCoordinator() {
    String family = cluster.family("ServerMicros");
    long alone = cluster.cost(0, family, "row").getServerMicros();
    assertEquals(0, alone, "memory takes no time in the simulator");
    long together =
        cluster
            .read(0, family, "row", ConsistencyLevel.CONSISTENCY_LEVEL_ALL)
            .getStats()
            .getServerMicros();
    // A message takes 100 to 300 µs, and so does its answer.
    assertTrue(together >= 200 && together < 10_000, "a way and back: " + together);
  }

  private void columnsOfARow() {
    String family = cluster.family("Count");
    GetCountRequest request =
        GetCountRequest.newBuilder()
            .setKeyspace(ALL)
            .setKey(bytes("row"))
            .setColumnParent(FigureScenario.parent(family))
            .setPredicate(FigureScenario.everything())
            .build();
    for (int columns = 0; columns < 3; columns++) {
      assertEquals(
          columns,
          cluster
              .call(0, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).getCount(request))
              .getCount());
      cluster.insert(0, family, "row", "column" + columns, "value");
    }
  }

  private void columnsOfRows() {
    String family = cluster.family("Counts");
    cluster.insert(0, family, "two", "a", "1");
    cluster.insert(0, family, "two", "b", "2");
    MultigetCountRequest request =
        MultigetCountRequest.newBuilder()
            .setKeyspace(ALL)
            .addKeys(bytes("none"))
            .addKeys(bytes("two"))
            .setColumnParent(FigureScenario.parent(family))
            .setPredicate(FigureScenario.everything())
            .build();
    assertEquals(
        List.of(0L, 2L),
        cluster
            .call(
                0, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).multigetCount(request))
            .getCountsList()
            .stream()
            .map(count -> count.getCount())
            .toList());
  }

  private Machine<CoreNode> machine() {
    return cluster.world.machines().get(0);
  }

  /** The one that the coordinator's clock gives, and not one of another time. */
  private void requireOfNow(long timestamp) {
    FigureScenario.requireNear(machine().clock().wallMicros(), timestamp, 1_000_000);
  }

  private void theTimestampOfAnInsert() {
    String family = cluster.family("InsertTimestamp");
    long filledIn = cluster.insert(0, family, "row", "a", "1").getTimestamp();
    requireOfNow(filledIn);
    assertEquals(
        filledIn,
        cluster.read(0, family, "row").getColumns(0).getColumn().getTimestamp(),
        "the column has it");
    assertEquals(
        7,
        cluster
            .insert(
                0,
                family,
                "row",
                column("b", "1").toBuilder().setTimestamp(7).build(),
                ConsistencyLevel.CONSISTENCY_LEVEL_ONE)
            .getTimestamp());
  }

  private void theTimestampOfARemoval() {
    String family = cluster.family("RemoveTimestamp");
    RemoveRequest request =
        RemoveRequest.newBuilder()
            .setKeyspace(ALL)
            .setKey(bytes("row"))
            .setColumnPath(ColumnPath.newBuilder().setColumnFamily(family))
            .build();
    requireOfNow(
        cluster
            .call(0, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).remove(request))
            .getTimestamp());
    assertEquals(
        -7,
        cluster
            .call(
                0,
                channel ->
                    ColumnStoreServiceGrpc.newFutureStub(channel)
                        .remove(request.toBuilder().setTimestamp(-7).build()))
            .getTimestamp());
  }

  private static BatchMutateRequest batch(String family, ConsistencyLevel level) {
    return BatchMutateRequest.newBuilder()
        .setKeyspace(ALL)
        .addRows(
            RowMutation.newBuilder()
                .setKey(bytes("row"))
                .setColumnFamily(family)
                .addMutations(
                    Mutation.newBuilder()
                        .setColumnOrSuperColumn(
                            ColumnOrSuperColumn.newBuilder().setColumn(column("a", "1")))))
        .setOptions(WriteOptions.newBuilder().setConsistencyLevel(level))
        .build();
  }

  private void theTimestampOfABatch() {
    String family = cluster.family("BatchTimestamp");
    BatchMutateResponse answer =
        cluster.call(
            0,
            channel ->
                ColumnStoreServiceGrpc.newFutureStub(channel)
                    .batchMutate(batch(family, ConsistencyLevel.CONSISTENCY_LEVEL_ONE)));
    requireOfNow(answer.getTimestamp());
    BatchMutateResponse none =
        cluster.call(
            0,
            channel ->
                ColumnStoreServiceGrpc.newFutureStub(channel)
                    .batchMutate(BatchMutateRequest.newBuilder().setKeyspace(ALL).build()));
    assertFalse(none.hasTimestamp(), "nothing needed one");
  }

  private void keysThatWereFound() {
    String family = cluster.family("Touched");
    cluster.insert(0, family, "one", "a", "1");
    cluster.insert(0, family, "two", "a", "1");
    cluster.flush(0, family);
    TouchRequest request =
        TouchRequest.newBuilder()
            .setKeyspace(ALL)
            .setColumnFamily(family)
            .addKeys(bytes("one"))
            .addKeys(bytes("none"))
            .addKeys(bytes("two"))
            .addKeys(bytes("one"))
            .build();
    assertEquals(
        2,
        cluster
            .call(0, channel -> ColumnStoreServiceGrpc.newFutureStub(channel).touch(request))
            .getKeysLoaded());
  }

  private MutateOutcome streamed(BatchMutateRequest batch) {
    List<StreamMutateResponse> answers =
        cluster.stream(
            0,
            (channel, observer) -> {
              StreamObserver<StreamMutateRequest> requests =
                  ColumnStoreServiceGrpc.newStub(channel).streamMutate(observer);
              requests.onNext(
                  StreamMutateRequest.newBuilder().setSequence(1).setBatch(batch).build());
              requests.onCompleted();
            });
    return answers.get(0).getOutcomes(0);
  }

  private void theTimestampOfABatchInAStream() {
    String family = cluster.family("OutcomeTimestamp");
    requireOfNow(streamed(batch(family, ConsistencyLevel.CONSISTENCY_LEVEL_ONE)).getTimestamp());
  }

  private void aBatchThatIsRefused() {
    String family = cluster.family("OutcomeCode");
    assertEquals(0, streamed(batch(family, ConsistencyLevel.CONSISTENCY_LEVEL_ONE)).getCode());
    assertEquals(
        Status.Code.NOT_FOUND.value(),
        streamed(batch("Nowhere", ConsistencyLevel.CONSISTENCY_LEVEL_ONE)).getCode());
  }

  private void aBatchWithTooFewReplicas(String name) {
    String family = cluster.family("Outcome_" + name);
    Machine<CoreNode> third = cluster.world.machines().get(2);
    cluster.world.network().cut(machine(), third);
    MutateOutcome late = streamed(batch(family, ConsistencyLevel.CONSISTENCY_LEVEL_ALL));
    cluster.world.network().heal();
    assertEquals("REPLICA_TIMEOUT", late.getReason());
    assertEquals(3, late.getRequired());
    assertEquals(2, late.getReceived());
  }
}
