package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.parent;
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
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams run at the pace of their slower end, and answer every message once. */
final class StreamsTest {

  /** Counts reads; writes wait until they are released. */
  private static final class Watched implements RowStore {
    private final RowStore inner;
    private final List<CompletableFuture<AskedReplicas>> heldWrites = new ArrayList<>();
    private boolean holdWrites;
    private int reads;
    private long lastDeadlineNanos;

    Watched(RowStore inner) {
      this.inner = inner;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      reads++;
      lastDeadlineNanos = read.deadlineNanos();
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

  private Watched watched = new Watched(new NaiveRowStore(new SimClock()));

  private Service start(RpcSettings settings) {
    return Service.start(
        settings,
        inner -> {
          watched = new Watched(inner);
          return watched;
        });
  }

  /** A reader that asks for messages one by one. */
  private static final class Reader<Q, R> implements ClientResponseObserver<Q, R> {
    private @Nullable ClientCallStreamObserver<Q> call;
    private final List<R> messages = new ArrayList<>();
    private @Nullable Throwable error;
    private boolean completed;

    @Override
    public void beforeStart(ClientCallStreamObserver<Q> requestStream) {
      call = requestStream;
      requestStream.disableAutoRequestWithInitial(0);
    }

    ClientCallStreamObserver<Q> call() {
      ClientCallStreamObserver<Q> current = call;
      if (current == null) {
        throw new IllegalStateException("the call has not begun");
      }
      return current;
    }

    @Override
    public void onNext(R message) {
      messages.add(message);
    }

    @Override
    public void onError(Throwable problem) {
      error = problem;
    }

    @Override
    public void onCompleted() {
      completed = true;
    }
  }

  private static StreamSliceRequest wholeRow(int chunkBytes) {
    return StreamSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent("Standard1"))
        .setPredicate(all())
        .setMaxChunkBytes(chunkBytes)
        .setOptions(ReadOptions.newBuilder().setIncludeStats(true))
        .build();
  }

  @Test
  void aSlowReaderHasAtMostOneChunkReadAhead() {
    try (Service service = start(RpcSettings.defaults())) {
      for (int i = 0; i < 200; i++) {
        service.insert("k", "Standard1", String.format("c%03d", i), "v", 1);
      }
      Reader<StreamSliceRequest, StreamSliceResponse> reader = new Reader<>();
      service.async().streamSlice(wholeRow(500), reader);
      assertTrue(watched.reads <= 1, "read ahead of a reader that asked for nothing");
      int columns = 0;
      while (!reader.completed) {
        reader.call().request(1);
        assertTrue(
            watched.reads <= reader.messages.size() + 1,
            watched.reads + " pages for " + reader.messages.size() + " messages");
      }
      for (int i = 0; i < reader.messages.size(); i++) {
        StreamSliceResponse message = reader.messages.get(i);
        columns += message.getColumnsCount();
        assertTrue(message.getColumnsCount() == 0 || !message.getResumeToken().isEmpty());
        assertEquals(i == reader.messages.size() - 1, message.hasStats());
      }
      assertEquals(200, columns);
    }
  }

  @Test
  void aCancelledStreamStopsReading() {
    try (Service service = start(RpcSettings.defaults())) {
      for (int i = 0; i < 50; i++) {
        service.insert("k", "Standard1", String.format("c%03d", i), "v", 1);
      }
      Reader<StreamSliceRequest, StreamSliceResponse> reader = new Reader<>();
      service.async().streamSlice(wholeRow(100), reader);
      reader.call().request(2);
      reader.call().cancel("seen enough", null);
      int reads = watched.reads;
      reader.call().request(10);
      assertEquals(reads, watched.reads);
      assertNotNull(reader.error);
    }
  }

  @Test
  void theCallersDeadlineReachesTheStoreAndTheServersHoldsWithoutOne() {
    try (Service service = start(RpcSettings.defaults())) {
      Reader<StreamSliceRequest, StreamSliceResponse> reader = new Reader<>();
      service.async().streamSlice(wholeRow(0), reader);
      reader.call().request(5);
      assertEquals(10_000_000_000L, watched.lastDeadlineNanos);
      Reader<StreamSliceRequest, StreamSliceResponse> hurried = new Reader<>();
      service
          .async()
          .withDeadlineAfter(3, java.util.concurrent.TimeUnit.SECONDS)
          .streamSlice(wholeRow(0), hurried);
      hurried.call().request(5);
      // So that the caller gets the reason, and not only its own time-out.
      assertTrue(watched.lastDeadlineNanos <= 2_750_000_000L, "no time is left for the answer");
    }
  }

  @Test
  void anAnswerHasAQuarterOfASecondForItsWayAndAtMostATenthOfTheCallersTime() {
    RpcSettings settings = RpcSettings.defaults();
    assertEquals(9_750_000_000L, CallContext.answerWithin(10_000_000_000L, settings));
    assertEquals(900_000_000L, CallContext.answerWithin(1_000_000_000L, settings));
    assertEquals(9_000_000L, CallContext.answerWithin(10_000_000L, settings));
    assertEquals(0, CallContext.answerWithin(0, settings));
    assertEquals(-5, CallContext.answerWithin(-5, settings), "it had passed when the call came");
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
      Reader<StreamMutateRequest, StreamMutateResponse> reader) {
    return reader.messages.stream().flatMap(m -> m.getOutcomesList().stream()).toList();
  }

  @Test
  void everyBatchOfAStreamIsAnsweredOnceAndAFailureIsAnOutcome() {
    try (Service service = start(RpcSettings.defaults())) {
      Reader<StreamMutateRequest, StreamMutateResponse> reader = new Reader<>();
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
      Reader<StreamMutateRequest, StreamMutateResponse> reader = new Reader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      watched.holdWrites = true;
      reader.call().onNext(batch(1, "Standard1"));
      reader.call().onNext(batch(1, "Standard1"));
      assertNull(reader.error);
      watched
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
      assertEquals(1, watched.heldWrites.size());
    }
  }

  @Test
  void batchesInFlightAreBounded() {
    RpcSettings settings =
        RpcSettings.defaults().with(new RpcSettings.StreamLimits(3, 1 << 20, 10));
    try (Service service = start(settings)) {
      Reader<StreamMutateRequest, StreamMutateResponse> reader = new Reader<>();
      var unused = service.async().streamMutate(reader);
      reader.call().request(100);
      watched.holdWrites = true;
      for (int i = 0; i < 20; i++) {
        reader.call().onNext(batch(i, "Standard1"));
      }
      assertEquals(3, watched.heldWrites.size());
      watched.heldWrites.get(1).complete(null);
      assertEquals(4, watched.heldWrites.size());
      reader.call().onCompleted();
      for (int i = 0; i < 20; i++) {
        watched.heldWrites.get(i).complete(null);
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
      Reader<StreamMutateRequest, StreamMutateResponse> reader = new Reader<>();
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

  @Test
  void sequenceNumbersThatCountUpwardsTakeTheRoomOfOneRange() {
    SequenceSet set = new SequenceSet(2);
    for (long i = 0; i < 1_000; i++) {
      assertEquals(SequenceSet.AddOutcome.ADDED, set.add(i));
    }
    assertEquals(1, set.ranges());
    assertEquals(SequenceSet.AddOutcome.REPEATED, set.add(500));
    assertEquals(SequenceSet.AddOutcome.ADDED, set.add(-1));
    assertEquals(SequenceSet.AddOutcome.FULL, set.add(5_000));
    assertEquals(SequenceSet.AddOutcome.ADDED, set.add(1_000));
    assertEquals(SequenceSet.AddOutcome.REPEATED, set.add(-1));
  }
}
