package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a listener hears of each attempt of a call. */
@Timeout(30)
final class CallEventTest {

  private final Queue<CallEvent> heard = new ConcurrentLinkedQueue<>();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEventNamesKeyspaceFamilyAndCost(boolean sessions) {
    try (FakeStore store =
        new FakeStore(ClientOptions.defaults().withListener(heard::add), sessions)) {
      heard.clear();
      store.onSlice =
          (request, answer) -> {
            GetSliceResponse.Builder slice = GetSliceResponse.newBuilder();
            if (request.getOptions().getIncludeStats()) {
              slice.getStatsBuilder().setBlocksRead(7);
            }
            answer.onNext(slice.build());
            answer.onCompleted();
          };
      store.family().get("k", 1L);
      store.family().with(CallOptions.defaults().withStatistics(cost -> {})).get("k", 1L);
      store.family().insert("k", 1L, "v");
    }
    assertEquals(3, heard.size());
    CallEvent read = heard.remove();
    assertEquals(
        new CallEvent(
            "GetSlice",
            Optional.of("K"),
            Optional.of("F"),
            "one",
            1,
            false,
            read.took(),
            Optional.empty(),
            Optional.empty(),
            ""),
        read);
    assertEquals(7, heard.remove().cost().orElseThrow().blocksRead());
    CallEvent write = heard.remove();
    assertEquals("BatchMutate", write.method());
    assertEquals(Optional.of("F"), write.columnFamily());
  }

  @Test
  void aBatchOfSeveralFamiliesNamesNone() {
    try (FakeStore store =
        new FakeStore(ClientOptions.defaults().withListener(heard::add), false)) {
      Keyspace keyspace = store.client.keyspace("K");
      Batch batch = keyspace.batch();
      for (String family : List.of("F", "G")) {
        batch.insert(
            keyspace.columnFamily(family, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8),
            "k",
            "c",
            "v");
      }
      batch.apply();
    }
    assertEquals(Optional.of("K"), heard.element().keyspace());
    assertEquals(Optional.empty(), heard.element().columnFamily());
  }

  @Test
  void attemptsAreNumberedAndNameTheirNodes() {
    ClientOptions options =
        ClientOptions.defaults()
            .withSessions(false)
            .withDiscovery(false)
            .withoutSpeculation()
            .withListener(heard::add);
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(options, nodes.node(0), nodes.node(1))) {
      nodes.node(0).failure = FakeNodes.failure(Status.Code.UNAVAILABLE, "NODE_NOT_READY", "no");
      while (nodes.node(0).slices.isEmpty()) {
        heard.clear();
        FakeNodes.family(client).get("k", "c");
      }
      assertEquals(
          List.of("1 " + nodes.node(0).target() + " NODE_NOT_READY", "2 " + nodes.node(1).target()),
          heard.stream().map(CallEventTest::words).toList());
    }
  }

  private static String words(CallEvent event) {
    return event.attempt()
        + " "
        + event.node()
        + event.failure().map(failure -> " " + failure.reason()).orElse("");
  }

  @Test
  void aSecondReadIsToldAsSuchAndTheOtherAsCancelled() {
    ClientOptions options =
        ClientOptions.defaults()
            .withSessions(false)
            .withDiscovery(false)
            .withSpeculation(Speculation.after(Duration.ofMillis(1)))
            .withListener(heard::add);
    try (FakeNodes nodes = new FakeNodes(2);
        Colonnade client = nodes.client(options, nodes.node(0), nodes.node(1))) {
      nodes.node(0).hangs = true;
      while (client.statistics().speculativeWins() == 0) {
        FakeNodes.family(client).get("k", "c");
      }
      assertEquals(2, awaitEvent(true, nodes.node(1).target()).attempt());
      CallEvent lost = awaitEvent(false, nodes.node(0).target());
      assertEquals(1, lost.attempt());
      assertEquals("CANCELLED", lost.failure().orElseThrow().reason());
    }
  }

  /** Waits for the attempt on a node. */
  private CallEvent awaitEvent(boolean speculative, String node) {
    while (!Thread.interrupted()) {
      for (CallEvent event : heard) {
        if (event.speculative() == speculative && event.node().equals(node)) {
          return event;
        }
      }
      Thread.onSpinWait();
    }
    throw new AssertionError("there is no such event: " + heard);
  }

  /** The network's threads may end a call while its caller has only begun it. */
  @Test
  void aCallThatEndsBeforeItsRequestIsHandedOverIsToldWithItsFamily() {
    GetSliceRequest request =
        GetSliceRequest.newBuilder()
            .setKeyspace("K")
            .setColumnParent(ColumnParent.newBuilder().setColumnFamily("F"))
            .build();
    Channel refusing = new RefusingChannel();
    ClientCall<GetSliceRequest, GetSliceResponse> call =
        new ListenedCalls(heard::add, "one")
            .interceptCall(
                ColumnStoreServiceGrpc.getGetSliceMethod(),
                io.grpc.CallOptions.DEFAULT.withOption(ListenedCalls.REQUEST, request),
                refusing);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    assertEquals(Optional.of("K"), heard.element().keyspace());
    assertEquals(Optional.of("F"), heard.element().columnFamily());
  }

  /** Ends every call within its start. */
  private static final class RefusingChannel extends Channel {

    @Override
    public <Q, R> ClientCall<Q, R> newCall(
        MethodDescriptor<Q, R> method, io.grpc.CallOptions options) {
      return new ClientCall<>() {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          listener.onClose(Status.UNAVAILABLE, new Metadata());
        }

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Q message) {}
      };
    }

    @Override
    public String authority() {
      return "nobody";
    }
  }
}
