package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.Applied;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of batches waits for a node that is behind, and does not fill its memory. */
final class DeferredBatchesTest {

  /** As many writes as the slow store takes before it must be flushed. */
  private static final int ROOM = 10;

  private static final int VALUE_BYTES = 1 << 10;

  private final NodeMemory memory =
      NodeMemory.of(
          MemoryPlan.forHeap(256L << 20),
          new MemoryPool(64L << 20, 0),
          new MemoryPool(64L << 20, 0));
  private final SlowStore slow = new SlowStore();
  private final Service service = Service.start(RpcSettings.defaults(), inner -> slow, memory);
  private final Stream stream = new Stream();

  /** Takes some writes and refuses further ones until it is flushed. */
  private final class SlowStore implements RowStore {
    private final Set<List<RowMutation>> taken = new LinkedHashSet<>();
    private final List<List<RowMutation>> attempts = new ArrayList<>();
    private final Set<String> refusedKeys = new HashSet<>();
    private boolean tells;
    private boolean makesRoom;
    private int unflushed;
    private int partly;
    private @Nullable CompletableFuture<AskedReplicas> hanging;

    void flush() {
      unflushed = 0;
    }

    private boolean isRefused(RowMutation mutation) {
      return refusedKeys.contains(new String(mutation.key().key(), StandardCharsets.UTF_8));
    }

    @Override
    public boolean isBehind() {
      return tells && unflushed == ROOM;
    }

    @Override
    public boolean isCatchingUp() {
      return makesRoom && unflushed == ROOM;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      attempts.add(mutations);
      if (service.clock.monotonicNanos() >= deadlineNanos) {
        return CompletableFuture.failedFuture(
            new CoordinationException.ReplicaTimeout(level, 1, 0));
      }
      if (hanging != null) {
        return hanging;
      }
      CoordinationException.Overloaded refusal =
          new CoordinationException.Overloaded("the heap for memtables that wait for the disk");
      if (unflushed == ROOM || mutations.stream().anyMatch(this::isRefused)) {
        return CompletableFuture.failedFuture(refusal);
      }
      if (partly > 0) {
        partly--;
        return CompletableFuture.failedFuture(
            new CoordinationException.PartlyApplied(2, 1, refusal));
      }
      unflushed++;
      taken.add(mutations);
      return CompletableFuture.completedFuture(AskedReplicas.NONE);
    }
  }

  /** The client's side: it sends as fast as it can. */
  private final class Stream extends ClientCall.Listener<StreamMutateResponse> {
    private final ClientCall<StreamMutateRequest, StreamMutateResponse> call =
        service.channel.newCall(
            ColumnStoreServiceGrpc.getStreamMutateMethod(), CallOptions.DEFAULT);
    private final List<MutateOutcome> outcomes = new ArrayList<>();
    private int emptyMessages;
    private @Nullable Status end;

    Stream() {
      call.start(this, new Metadata());
      call.request(Integer.MAX_VALUE);
    }

    @Override
    public void onMessage(StreamMutateResponse message) {
      outcomes.addAll(message.getOutcomesList());
      emptyMessages += message.getOutcomesCount() == 0 ? 1 : 0;
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end = status;
    }

    void send(int first, int batches) {
      for (int i = first; i < first + batches; i++) {
        call.sendMessage(batch(i));
      }
    }
  }

  private static StreamMutateRequest batch(int sequence) {
    return StreamMutateRequest.newBuilder()
        .setSequence(sequence)
        .setBatch(
            BatchMutateRequest.newBuilder()
                .setKeyspace(KS)
                .addRows(
                    dev.colonnade.v1.RowMutation.newBuilder()
                        .setKey(bytes("k" + sequence))
                        .setColumnFamily("Standard1")
                        .addMutations(
                            Mutation.newBuilder()
                                .setColumnOrSuperColumn(
                                    ColumnOrSuperColumn.newBuilder()
                                        .setColumn(
                                            column("c", "v".repeat(VALUE_BYTES), 1)
                                                .clearTimestamp())))))
        .build();
  }

  private long applied(Applied how) {
    return stream.outcomes.stream().filter(outcome -> outcome.getApplied() == how).count();
  }

  private long requestBytes() {
    return memory.heap().usedBytes(MemoryUse.REQUESTS);
  }

  @AfterEach
  void nothingIsHeld() {
    service.close();
    assertEquals(0, memory.heap().usedBytes());
    assertEquals(0, memory.direct().usedBytes());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeThatIsBehindReadsNoFurtherAndRefusesNothing(boolean tells) {
    slow.tells = tells;
    stream.send(1, 500);
    stream.call.halfClose();
    assertEquals(ROOM, stream.outcomes.size());
    long held = requestBytes();
    // With other nodes it tries what may be theirs, as far as a stream's memory goes.
    long valuesMax = tells ? 20 : 3L * RpcSettings.defaults().streams().maxBatchesInFlight();
    assertTrue(held > 0 && held < valuesMax * VALUE_BYTES, held + " bytes of requests are held");
    service.scheduler.runDelayed();
    service.scheduler.runDelayed();
    assertEquals(held, requestBytes(), "it read on although nothing was flushed");

    for (int flushes = 0; stream.end == null && flushes < 500; flushes++) {
      slow.flush();
      service.scheduler.runDelayed();
    }

    assertEquals(Status.Code.OK, stream.end == null ? null : stream.end.getCode());
    assertEquals(500, applied(Applied.APPLIED_YES));
    assertEquals(500, stream.outcomes.stream().map(MutateOutcome::getSequence).distinct().count());
    assertEquals(500, slow.taken.size());
  }

  @Test
  void aBatchWhoseTimeIsUpIsRefusedAndTheStreamGoesOn() {
    deferThree();
    service.scheduler.runDelayed();
    assertEquals(List.of(), stream.outcomes);
    service.clock.advance(Duration.ofSeconds(10));
    service.scheduler.runDelayed();
    assertOverloaded(3);

    slow.flush();
    service.scheduler.runDelayed();
    stream.send(4, 1);
    stream.call.halfClose();
    service.scheduler.runDelayed();
    assertEquals(Status.Code.OK, stream.end == null ? null : stream.end.getCode());
    assertEquals(4, stream.outcomes.size());
    assertEquals(Applied.APPLIED_YES, stream.outcomes.get(3).getApplied());
  }

  /** Has the node refuse three batches that it read while it was not behind. */
  private void deferThree() {
    CompletableFuture<AskedReplicas> underWay = new CompletableFuture<>();
    slow.hanging = underWay;
    stream.send(1, 3);
    slow.hanging = null;
    slow.unflushed = ROOM;
    underWay.completeExceptionally(
        new CoordinationException.Overloaded("the heap for memtables that wait for the disk"));
  }

  private void assertOverloaded(int batches) {
    assertEquals(batches, stream.outcomes.size());
    for (MutateOutcome outcome : stream.outcomes) {
      assertEquals("OVERLOADED", outcome.getReason());
      assertEquals(Applied.APPLIED_NO, outcome.getApplied());
    }
  }

  @Test
  void aBatchWhoseTimeIsUpDoesNotWaitForTheOneThatTriesTheNode() {
    deferThree();
    CompletableFuture<AskedReplicas> hanging = new CompletableFuture<>();
    slow.hanging = hanging;
    service.scheduler.runDelayed();
    service.clock.advance(Duration.ofSeconds(10));
    service.scheduler.runDelayed();
    assertOverloaded(2);
    hanging.completeExceptionally(new CoordinationException.ReplicaTimeout(Consistency.ONE, 1, 0));
    assertEquals(3, stream.outcomes.size());
    assertEquals(Applied.APPLIED_UNKNOWN, stream.outcomes.get(2).getApplied());
  }

  @Test
  void aBatchWhoseTimeIsUpWhenTheNodeHasCaughtUpIsRefused() {
    deferThree();
    CompletableFuture<AskedReplicas> hanging = new CompletableFuture<>();
    slow.hanging = hanging;
    service.scheduler.runDelayed();
    service.clock.advance(Duration.ofSeconds(10));
    hanging.complete(AskedReplicas.NONE);
    assertEquals(3, stream.outcomes.size());
    assertEquals(1, applied(Applied.APPLIED_YES));
    assertEquals(2, applied(Applied.APPLIED_NO));
  }

  @Test
  void whatWasAppliedInPartIsNotDeniedByALaterRefusal() {
    slow.partly = 1;
    slow.unflushed = ROOM - 1;
    stream.send(1, 1);
    slow.unflushed = ROOM;
    service.scheduler.runDelayed();
    service.clock.advance(Duration.ofSeconds(10));
    service.scheduler.runDelayed();
    assertEquals(1, stream.outcomes.size());
    assertEquals("OVERLOADED", stream.outcomes.get(0).getReason());
    assertEquals(Applied.APPLIED_UNKNOWN, stream.outcomes.get(0).getApplied());
  }

  @Test
  void aCallerHearsFromTheNodeWhileItsBatchesWait() {
    deferThree();
    for (int i = 0; i < 8; i++) {
      service.clock.advance(Duration.ofMillis(250));
      service.scheduler.runDelayed();
    }
    assertEquals(4, stream.emptyMessages);
    slow.hanging = new CompletableFuture<>();
    for (int i = 0; i < 4; i++) {
      service.clock.advance(Duration.ofMillis(250));
      service.scheduler.runDelayed();
    }
    assertEquals(6, stream.emptyMessages, "also while one of them tries the node");
    slow.hanging.complete(AskedReplicas.NONE);
    assertEquals(3, stream.outcomes.size());
    for (int i = 0; i < 8; i++) {
      service.clock.advance(Duration.ofMillis(250));
      service.scheduler.runDelayed();
    }
    assertEquals(6, stream.emptyMessages);
  }

  @Test
  void aBatchThatWasTakenInPartIsWrittenAgainWithItsTimestamps() {
    slow.partly = 1;
    stream.send(1, 1);
    stream.call.halfClose();
    assertEquals(List.of(), stream.outcomes);
    service.clock.advance(Duration.ofSeconds(1));
    service.scheduler.runDelayed();
    assertEquals(1, applied(Applied.APPLIED_YES));
    assertEquals(2, slow.attempts.size());
    assertEquals(slow.attempts.get(0), slow.attempts.get(1));
  }

  @Test
  void aBatchWithoutADeadlineWaitsAsLongAsTheNodeMakesRoom() {
    slow.makesRoom = true;
    deferThree();
    for (int i = 0; i < 120; i++) {
      service.clock.advance(Duration.ofMillis(250));
      service.scheduler.runDelayed();
    }
    assertEquals(List.of(), stream.outcomes);
    slow.makesRoom = false;
    service.clock.advance(Duration.ofSeconds(9));
    service.scheduler.runDelayed();
    assertEquals(List.of(), stream.outcomes, "a moment without progress is no standstill");
    service.clock.advance(Duration.ofSeconds(1));
    service.scheduler.runDelayed();
    assertOverloaded(3);
  }

  @Test
  void aRefusedBatchDoesNotStopThoseOfOtherNodes() {
    slow.refusedKeys.add("k1");
    stream.send(1, 5);
    assertEquals(4, applied(Applied.APPLIED_YES));
    slow.refusedKeys.clear();
    stream.call.halfClose();
    service.scheduler.runDelayed();
    assertEquals(5, applied(Applied.APPLIED_YES));
    assertEquals(Status.Code.OK, stream.end == null ? null : stream.end.getCode());
  }

  @Test
  void batchesThatWaitAreForgottenWithTheirCaller() {
    slow.unflushed = ROOM;
    stream.send(1, 5);
    assertTrue(requestBytes() > 0);
    stream.call.cancel("enough", null);
    assertEquals(0, requestBytes());
    slow.flush();
    service.scheduler.runDelayed();
    assertEquals(Set.of(), slow.taken);
  }

  /** The stream has failed, and its caller is told of the batches before that all the same. */
  @Test
  void aRepeatedNumberEndsTheStreamAfterTheBatchesThatWait() {
    deferThree();
    stream.send(2, 1);
    service.scheduler.runDelayed();
    assertEquals(List.of(), stream.outcomes);
    assertNull(stream.end, "three batches still wait for the node");

    slow.flush();
    for (int i = 0; stream.end == null && i < 10; i++) {
      service.scheduler.runDelayed();
    }
    assertEquals(
        List.of(1L, 2L, 3L),
        stream.outcomes.stream().map(MutateOutcome::getSequence).sorted().toList());
    assertEquals(3, applied(Applied.APPLIED_YES));
    assertEquals(3, slow.taken.size(), "no batch is written twice");
    assertEquals(Status.Code.INVALID_ARGUMENT, stream.end == null ? null : stream.end.getCode());
  }
}
