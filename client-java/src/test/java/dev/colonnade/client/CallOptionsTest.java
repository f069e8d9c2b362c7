package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.TraceStep;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "sessions = {0}")
@ValueSource(booleans = {false, true})
final class CallOptionsTest {

  private record Call(String method, Optional<ColonnadeException> failure) {}

  private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
  private final FakeStore store;
  private final List<CallStatistics> statistics = new ArrayList<>();

  CallOptionsTest(boolean sessions) {
    store =
        new FakeStore(
            ClientOptions.defaults()
                .withListener(call -> calls.add(new Call(call.method(), call.failure()))),
            sessions);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void statisticsAreAskedForOnlyWhereSomebodyListens() {
    store.onSlice =
        (request, answer) -> {
          answer.onNext(GetSliceResponse.getDefaultInstance());
          answer.onCompleted();
        };
    store.family().slice("k", Slice.all());
    store.family().with(counting()).slice("k", Slice.all());
    assertEquals(
        List.of(false, true),
        store.slices.stream().map(slice -> slice.getOptions().getIncludeStats()).toList());
  }

  @Test
  void eachPageReportsItsStatistics() {
    store.onSlice =
        (request, answer) -> {
          boolean first = request.getPageToken().isEmpty();
          answer.onNext(
              GetSliceResponse.newBuilder()
                  .setStats(stats(first ? 1 : 2))
                  .setNextPageToken(first ? "next" : "")
                  .build());
          answer.onCompleted();
        };
    store.family().with(counting()).slice("k", Slice.all());
    assertEquals(List.of(1L, 2L), statistics.stream().map(CallStatistics::blocksRead).toList());
    CallStatistics one = statistics.get(0);
    assertEquals("n1", one.coordinator());
    assertEquals(List.of("n1", "n2"), one.replicas());
    assertEquals(List.of("n2"), one.replicasAnswered());
    assertEquals(Duration.ofNanos(1_500_000), one.serverTime());
  }

  @Test
  void aStreamReportsWhereItsMessagesDo() {
    store.onStream =
        (request, answer) -> {
          answer.onNext(FakeStore.chunk(1));
          answer.onNext(FakeStore.chunk(2).toBuilder().setStats(stats(7)).build());
          answer.onCompleted();
        };
    try (Cursor<Column<Long, String>> cursor =
        store.family().with(counting()).stream("k", Slice.all())) {
      assertEquals(List.of(1L, 2L), FakeStore.names(cursor));
    }
    assertEquals(List.of(7L), statistics.stream().map(CallStatistics::blocksRead).toList());
  }

  @Test
  void writesReportTheirsToo() {
    store.batchStats = stats(3);
    store.family().with(counting()).insert("k", 1L, "v");
    store.client.keyspace("K").with(counting()).batch().remove(store.family(), "k").apply();
    assertEquals(2, statistics.size());
  }

  @Test
  void whatTheConsumerThrowsTheCallThrows() {
    store.batchStats = stats(3);
    CallOptions options =
        CallOptions.defaults()
            .withStatistics(
                cost -> {
                  throw new IllegalStateException("enough " + cost.blocksRead());
                });
    assertThrows(
        IllegalStateException.class, () -> store.family().with(options).insert("k", 1L, "v"));
  }

  @Test
  void aTimestampIsForWhatHasNoneOfItsOwn() {
    CallOptions then = CallOptions.defaults().withTimestamp(42);
    store
        .family()
        .with(then)
        .insertAll("k", List.of(Column.of(1L, "v"), Column.of(2L, "v").withTimestamp(7)));
    store.client.keyspace("K").with(then).batch().remove(store.family(), "k").apply();
    List<Mutation> written = store.batches.remove().getRows(0).getMutationsList();
    assertEquals(
        List.of(42L, 7L),
        written.stream()
            .map(each -> each.getColumnOrSuperColumn().getColumn().getTimestamp())
            .toList());
    assertEquals(
        42, store.batches.remove().getRows(0).getMutations(0).getDeletion().getTimestamp());
  }

  @Test
  void aListenerHearsOfEveryCallOnce() throws InterruptedException {
    store.onSlice =
        (request, answer) -> {
          boolean first = request.getPageToken().isEmpty();
          answer.onNext(
              GetSliceResponse.newBuilder().setNextPageToken(first ? "next" : "").build());
          answer.onCompleted();
        };
    store.family().slice("k", Slice.all());
    store.family().insert("k", 1L, "v");
    store.onStream =
        (request, answer) -> {
          answer.onNext(FakeStore.chunk(1));
          answer.onNext(FakeStore.chunk(2));
          answer.onCompleted();
        };
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      assertEquals(2, FakeStore.names(cursor).size());
    }
    assertEquals(
        List.of("GetSlice", "GetSlice", "BatchMutate", "StreamSlice"),
        calls.stream().map(Call::method).toList());
    assertTrue(calls.stream().allMatch(call -> call.failure().isEmpty()));
    calls.clear();
    store.onStream = (request, answer) -> answer.onNext(FakeStore.chunk(1, 2));
    try (Cursor<Column<Long, String>> cursor = store.family().stream("k", Slice.all())) {
      cursor.next();
      assertEquals(List.of(), List.copyOf(calls));
    }
    Call left = calls.poll(10, TimeUnit.SECONDS);
    assertEquals(new Call("StreamSlice", Optional.empty()), left);
  }

  @Test
  void aListenerHearsWhyACallFailed() {
    store.onSlice =
        (request, answer) -> answer.onError(Status.UNAVAILABLE.withDescription("x").asException());
    assertThrows(UnavailableException.class, () -> store.family().slice("k", Slice.all()));
    Call call = calls.remove();
    assertTrue(call.failure().orElseThrow() instanceof UnavailableException);
    assertEquals(Applied.NO, call.failure().orElseThrow().applied());
  }

  @Test
  void optionsThatCannotBeAreRefused() {
    CallOptions options = CallOptions.defaults();
    assertThrows(IllegalArgumentException.class, () -> options.withDeadline(Duration.ZERO));
    assertThrows(
        IllegalArgumentException.class, () -> options.withReadConsistency(Consistency.ANY));
    assertThrows(
        IllegalArgumentException.class, () -> ClientOptions.defaults().withResumeAttempts(-1));
    assertFalse(options.statistics().isPresent());
  }

  @Test
  void eachCallHasTheTraceThatIsCurrentAtItsBeginning() {
    store.onSlice =
        (request, answer) -> {
          answer.onNext(GetSliceResponse.newBuilder().setStats(traced()).build());
          answer.onCompleted();
        };
    store.onStream =
        (request, answer) -> {
          answer.onNext(FakeStore.chunk(1));
          answer.onCompleted();
        };
    Deque<String> current = new ArrayDeque<>(List.of(header(1), header(2), "", header(3)));
    CallOptions options = counting().withTraceparent(current::removeFirst);
    store.family().with(options).slice("k", Slice.all());
    store.family().with(options).insert("k", 1L, "v");
    store.family().with(options).slice("k", Slice.all());
    try (Cursor<Column<Long, String>> cursor =
        store.family().with(options).stream("k", Slice.all())) {
      assertEquals(List.of(1L), FakeStore.names(cursor));
    }
    assertEquals(List.of(header(1), header(2), header(3)), List.copyOf(store.traceparents));
    CallStatistics.Trace trace = statistics.get(0).trace();
    assertEquals(TRACE_ID, trace.id());
    assertEquals(7, trace.dropped());
    assertEquals(
        List.of(
            new TraceEvent(
                TraceEvent.Step.REPLICA_ANSWERED,
                Duration.ofNanos(1_500_000),
                Duration.ofNanos(1_000_000),
                "n1",
                "n2",
                "detail"),
            new TraceEvent(TraceEvent.Step.UNKNOWN, Duration.ZERO, Duration.ZERO, "n1", "", "")),
        trace.events());
  }

  @Test
  void aHeaderThatCannotBeSentIsLeftOut() {
    store.onSlice =
        (request, answer) -> {
          answer.onNext(GetSliceResponse.getDefaultInstance());
          answer.onCompleted();
        };
    for (String odd : List.of("line\nbreak", "\u00e4", "x".repeat(129))) {
      store
          .family()
          .with(CallOptions.defaults().withTraceparent(() -> odd))
          .slice("k", Slice.all());
    }
    assertEquals(List.of(), List.copyOf(store.traceparents));
  }

  private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

  private static String header(int span) {
    return "00-" + TRACE_ID + "-b7ad6b716920333" + span + "-01";
  }

  private static RequestStats traced() {
    return stats(0).toBuilder()
        .setTraceId(TRACE_ID)
        .setTraceEventsDropped(7)
        .addTrace(
            dev.colonnade.v1.TraceEvent.newBuilder()
                .setStep(TraceStep.TRACE_STEP_REPLICA_ANSWERED)
                .setMicros(1_500)
                .setDurationMicros(1_000)
                .setNode("n1")
                .setPeer("n2")
                .setDetail("detail"))
        .addTrace(dev.colonnade.v1.TraceEvent.newBuilder().setStepValue(99).setNode("n1"))
        .build();
  }

  private CallOptions counting() {
    return CallOptions.defaults().withStatistics(statistics::add);
  }

  private static RequestStats stats(long blocks) {
    return RequestStats.newBuilder()
        .setCoordinator("n1")
        .addReplicas("n1")
        .addReplicas("n2")
        .addReplicasAnswered("n2")
        .setBlocksRead(blocks)
        .setServerMicros(1_500)
        .build();
  }
}
