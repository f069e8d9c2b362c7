package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.v1.Applied;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of batches answers each once, and its end is the last of it. */
final class MutateStreamTest {

  /** Writes wait until they are released. */
  private static final class HeldWrites implements RowStore {
    private final RowStore inner;
    private final List<CompletableFuture<AskedReplicas>> heldWrites = new ArrayList<>();
    private boolean holdWrites;

    HeldWrites(RowStore inner) {
      this.inner = inner;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      return inner.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return inner.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      if (!holdWrites) {
        return inner.write(mutations, durable, level, deadlineNanos);
      }
      CompletableFuture<AskedReplicas> held = new CompletableFuture<>();
      heldWrites.add(held);
      return held;
    }
  }

  private HeldWrites store = new HeldWrites(new NaiveRowStore(new SimClock()));

  private Service start(RpcSettings settings) {
    return Service.start(
        settings,
        inner -> {
          store = new HeldWrites(inner);
          return store;
        });
  }

  private static StreamMutateRequest batch(long sequence, String family) {
    return batch(sequence, family, "v");
  }

  private static StreamMutateRequest batch(long sequence, String family, String value) {
    return StreamMutateRequest.newBuilder()
        .setSequence(sequence)
        .setBatch(
            BatchMutateRequest.newBuilder()
                .setKeyspace(KS)
                .addRows(
                    dev.colonnade.v1.RowMutation.newBuilder()
                        .setKey(bytes("k"))
                        .setColumnFamily(family)
                        .addMutations(
                            Mutation.newBuilder()
                                .setColumnOrSuperColumn(
                                    ColumnOrSuperColumn.newBuilder()
                                        .setColumn(
                                            column("c" + sequence, value, 1).clearTimestamp())))))
        .build();
  }

  private static List<MutateOutcome> outcomes(
      StreamReader<StreamMutateRequest, StreamMutateResponse> reader) {
    return reader.messages.stream().flatMap(m -> m.getOutcomesList().stream()).toList();
  }

  @Test
  void everyBatchOfAStreamIsAnsweredOnceAndAFailureIsAnOutcome() {
    try (Service service = start(RpcSettings.defaults())) {
      StreamReader<StreamMutateRequest, StreamMutateResponse> reader = new StreamReader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      reader.call().onNext(batch(7, "Standard1"));
      reader.call().onNext(batch(3, "Nope"));
      reader.call().onNext(batch(-1, "Standard1"));
      assertFalse(reader.completed);
      reader.call().onCompleted();
      assertTrue(reader.completed);
      List<MutateOutcome> outcomes = outcomes(reader);
      assertEquals(
          List.of(7L, 3L, -1L), outcomes.stream().map(MutateOutcome::getSequence).toList());
      assertEquals(Applied.APPLIED_YES, outcomes.get(0).getApplied());
      assertTrue(outcomes.get(0).hasTimestamp());
      assertEquals(Status.Code.NOT_FOUND.value(), outcomes.get(1).getCode());
      assertEquals("COLUMN_FAMILY_NOT_FOUND", outcomes.get(1).getReason());
      assertEquals(Applied.APPLIED_NO, outcomes.get(1).getApplied());
    }
  }

  @Test
  void aRepeatedNumberEndsTheStreamAfterAllOutcomes() {
    try (Service service = start(RpcSettings.defaults())) {
      StreamReader<StreamMutateRequest, StreamMutateResponse> reader = new StreamReader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      store.holdWrites = true;
      reader.call().onNext(batch(1, "Standard1"));
      reader.call().onNext(batch(1, "Standard1"));
      assertNull(reader.error);
      store
          .heldWrites
          .get(0)
          .completeExceptionally(
              new CoordinationException.ReplicaTimeout(Consistency.QUORUM, 2, 1));
      assertEquals(1, outcomes(reader).size());
      assertEquals(Applied.APPLIED_UNKNOWN, outcomes(reader).get(0).getApplied());
      assertEquals(2, outcomes(reader).get(0).getRequired());
      assertEquals(1, outcomes(reader).get(0).getReceived());
      StatusRuntimeException error = (StatusRuntimeException) reader.error;
      assertNotNull(error);
      assertEquals("REPEATED_SEQUENCE", Service.reason(error));
      assertEquals(1, store.heldWrites.size());
    }
  }

  @Test
  void batchesInFlightAreBounded() {
    RpcSettings settings =
        RpcSettings.defaults().with(new RpcSettings.StreamLimits(3, 1 << 20, 10));
    try (Service service = start(settings)) {
      StreamReader<StreamMutateRequest, StreamMutateResponse> reader = new StreamReader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      store.holdWrites = true;
      for (int i = 0; i < 20; i++) {
        reader.call().onNext(batch(i, "Standard1"));
      }
      assertEquals(3, store.heldWrites.size());
      store.heldWrites.get(1).complete(null);
      assertEquals(4, store.heldWrites.size());
      reader.call().onCompleted();
      for (int i = 0; i < 20; i++) {
        store.heldWrites.get(i).complete(null);
      }
      assertTrue(reader.completed);
      assertEquals(20, outcomes(reader).size());
    }
  }

  /**
   * A large message is decoded by another thread than the one that delivers the end of the stream.
   * The end must not overtake it: the batch would be neither written nor answered, although the
   * stream succeeds.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 100 << 10})
  void theEndOfAStreamWaitsForTheBatchesBeforeIt(int valueBytesOfTheLast) {
    try (Service service = start(RpcSettings.defaults())) {
      StreamReader<StreamMutateRequest, StreamMutateResponse> reader = new StreamReader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      service.scheduler.hold();
      reader.call().onNext(batch(1, "Standard1", "x".repeat(100 << 10)));
      reader.call().onNext(batch(2, "Standard1", "x".repeat(100 << 10)));
      reader.call().onNext(batch(3, "Standard1", "x".repeat(valueBytesOfTheLast)));
      reader.call().onCompleted();
      assertFalse(reader.completed, "large batches were taken apart where they came in");
      service.scheduler.runHeld();
      assertTrue(reader.completed);
      assertEquals(
          List.of(1L, 2L, 3L), outcomes(reader).stream().map(MutateOutcome::getSequence).toList());
    }
  }
}
