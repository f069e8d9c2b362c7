package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.SessionFixture.get;
import static dev.colonnade.server.service.rpc.SessionFixture.insert;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import dev.colonnade.admin.v1.DrainRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.rpc.SessionFixture.Client;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionLimits;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The life of a session and of the calls on it. What calls mean is tested over both ways. */
final class SessionStreamTest {

  private final SessionFixture fixture = new SessionFixture();
  private final Service service = fixture.service;

  @AfterEach
  void stop() {
    service.close();
  }

  private static String applied(StatusRuntimeException error) {
    ErrorInfo info = Objects.requireNonNull(Service.detail(error, ErrorInfo.class));
    return info.getMetadataOrDefault("applied", "");
  }

  @Test
  void theFirstMessageTellsTheLimits() {
    Client client = fixture.open();
    assertEquals(1, client.messages.size());
    RpcSettings.Sessions limits = RpcSettings.defaults().sessions();
    assertEquals(
        SessionLimits.newBuilder()
            .setMaxCalls(limits.maxCalls())
            .setMaxBytes(limits.maxBytes())
            .setMaxMessageBytes(limits.maxMessageBytes())
            .build(),
        client.messages.get(0).getLimits());
  }

  @Test
  void theCallsOfAMessageAreAnsweredInAMessage() {
    Client client = fixture.open();
    client.send(insert(1, "k", "v"), get(2, "k"), get(7, "none"));
    assertEquals(2, client.messages.size());
    assertEquals(List.of(1L, 2L, 7L), client.answered());
    assertEquals(1, client.answer(1).getInsert().getTimestamp());
    assertEquals(
        "v",
        client.answer(2).getGet().getColumnOrSuperColumn().getColumn().getValue().toStringUtf8());
    assertEquals(
        ErrorReasons.COLUMN_NOT_FOUND, Service.reason(SessionFixture.error(client.answer(7))));
  }

  @Test
  void answersComeInTheOrderInWhichCallsEnd() {
    Client client = fixture.open();
    client.send(get(1, "held1"), get(2, "held2"), get(3, "k"));
    assertEquals(List.of(3L), client.answered());
    fixture.release("held2");
    assertEquals(List.of(3L, 2L), client.answered());
    client.send(get(4, "k"));
    fixture.release("held1");
    assertEquals(List.of(3L, 2L, 4L, 1L), client.answered());
  }

  @Test
  void answersThatEndInOneTurnOfTheLoopShareAMessage() {
    Queue<Runnable> loop = new ArrayDeque<>();
    service.loop = loop::add;
    var connection = service.newConnection();
    Client client = new Client(true);
    ColumnStoreServiceGrpc.newStub(connection).session(client);
    client.send(get(1, "a"), get(2, "b"));
    client.send(get(3, "c"));
    assertEquals(List.of(), client.answered());
    assertEquals(1, loop.size());
    loop.remove().run();
    assertEquals(List.of(1L, 2L, 3L), client.answered());
    assertEquals(2, client.messages.size(), "limits, and one message of answers");
    connection.shutdownNow();
  }

  @Test
  void aReadThatIsCancelledEndsAndOthersGoOn() {
    Client client = fixture.open();
    client.send(get(1, "held1"), get(2, "held2"));
    CompletableFuture<?> read = Objects.requireNonNull(fixture.heldReads.get("held1"));
    client.cancel(1, 99);
    assertTrue(read.isCancelled());
    assertEquals(List.of(1L), client.answered());
    assertEquals(
        Status.Code.CANCELLED, SessionFixture.error(client.answer(1)).getStatus().getCode());
    client.cancel(1);
    fixture.release("held2");
    assertEquals(List.of(1L, 2L), client.answered());
  }

  @Test
  void aWriteThatIsCancelledAfterItBeganIsAnsweredWithItsOutcome() {
    Client client = fixture.open();
    fixture.holdWrites = true;
    client.send(insert(1, "k", "v"));
    client.cancel(1);
    assertEquals(List.of(), client.answered());
    fixture.heldWrites.get(0).complete(AskedReplicas.NONE);
    assertTrue(client.answer(1).hasInsert());
  }

  @Test
  void aWriteThatIsCancelledBeforeItBeganIsNotApplied() {
    Queue<Runnable> loop = new ArrayDeque<>();
    service.loop = loop::add;
    var connection = service.newConnection();
    Client client = new Client(true);
    ColumnStoreServiceGrpc.newStub(connection).session(client);
    // The loop's slice of time is used up, so that the next call waits for its turn.
    occupy(client, 2);
    int open = service.services.openCalls();
    client.send(insert(3, "k", "v"));
    client.cancel(3);
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
    assertFalse(fixture.begun.contains("write"));
    StatusRuntimeException error = SessionFixture.error(client.answer(3));
    assertEquals(Status.Code.CANCELLED, error.getStatus().getCode());
    assertEquals("no", applied(error));
    assertEquals(1, client.answered().stream().filter(id -> id == 3).count());
    assertEquals(1, open - service.services.openCalls(), "the session alone is open");
    connection.shutdownNow();
  }

  @Test
  void theTimeThatACallWaitsForItsTurnCounts() {
    Queue<Runnable> loop = new ArrayDeque<>();
    service.loop = loop::add;
    var connection = service.newConnection();
    Client client = new Client(true);
    ColumnStoreServiceGrpc.newStub(connection).session(client);
    occupy(client, 1);
    long arrival = service.clock.monotonicNanos();
    client.send(
        get(2, "k").toBuilder().setTimeoutMillis(60_000).build(),
        get(3, "late").toBuilder().setTimeoutMillis(900).build());
    service.clock.advance(Duration.ofSeconds(1));
    while (!loop.isEmpty()) {
      loop.remove().run();
    }
    assertEquals(
        arrival + Duration.ofMinutes(1).toNanos() - RpcSettings.defaults().answerMargin().toNanos(),
        fixture.lastDeadlineNanos);
    assertFalse(fixture.begun.contains("late"));
    StatusRuntimeException error = SessionFixture.error(client.answer(3));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
    connection.shutdownNow();
  }

  /** A read that takes the whole of the loop's slice of time. */
  private void occupy(Client client, long id) {
    fixture.slowRead = LoopTurns.SLICE;
    client.send(get(id, "slow"));
    fixture.slowRead = Duration.ZERO;
  }

  @Test
  void aCallHasItsOwnDeadline() {
    Client client = fixture.open();
    client.send(
        get(1, "held1").toBuilder().setTimeoutMillis(1_000).build(),
        get(2, "held2").toBuilder().setTimeoutMillis(60_000).build());
    long now = service.clock.monotonicNanos();
    assertEquals(
        now + CallContext.answerWithin(60_000_000_000L, RpcSettings.defaults()),
        fixture.lastDeadlineNanos);
    service.scheduler.runDelayed();
    assertEquals(List.of(), client.answered());
    service.clock.advance(Duration.ofSeconds(1));
    service.scheduler.runDelayed();
    assertEquals(List.of(1L), client.answered());
    StatusRuntimeException error = SessionFixture.error(client.answer(1));
    assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
    assertEquals(ErrorReasons.REPLICA_TIMEOUT, Service.reason(error));
    client.send(get(4, "held4"));
    assertEquals(
        service.clock.monotonicNanos() + RpcSettings.defaults().callTimeout().toNanos(),
        fixture.lastDeadlineNanos);
  }

  @Test
  void whenASessionBreaksItsReadsEndAndItsWritesGoOn() {
    Client client = fixture.open();
    fixture.holdWrites = true;
    client.send(get(1, "held1"), insert(2, "k", "v"));
    CompletableFuture<?> read = Objects.requireNonNull(fixture.heldReads.get("held1"));
    assertFalse(service.services.isIdle());
    client.call().cancel("the client goes", null);
    assertTrue(read.isCancelled());
    assertFalse(fixture.heldWrites.get(0).isDone());
    fixture.heldWrites.get(0).complete(AskedReplicas.NONE);
    assertTrue(service.services.isIdle());
    assertEquals(List.of(), client.answered());
  }

  @Test
  void aHalfClosedSessionIsCompletedWhenItsCallsAreAnswered() {
    Client client = fixture.open();
    client.send(get(1, "held1"));
    client.call().onCompleted();
    assertFalse(client.completed);
    fixture.release("held1");
    assertEquals(List.of(1L), client.answered());
    assertTrue(client.completed);
    assertNull(client.error);
  }

  @Test
  void aNodeThatStopsSaysSoAndAnswersWhatWasOnItsWay() {
    Client client = fixture.open();
    client.send(get(1, "held1"));
    service.services.stop();
    assertTrue(client.messages.get(1).getGoingAway());
    client.send(get(2, "k"));
    assertTrue(client.answered().contains(2L));
    assertFalse(service.services.isIdle());
    client.call().onCompleted();
    assertFalse(client.completed);
    fixture.release("held1");
    assertTrue(client.completed);
    assertTrue(service.services.isIdle());
    assertEquals(1, client.messages.stream().filter(SessionResponse::getGoingAway).count());
  }

  @Test
  void aNodeThatStopsDoesNotWaitLongForASessionWithoutCalls() {
    Client client = fixture.open();
    assertEquals(1, client.messages.size());
    service.services.stop();
    assertFalse(service.services.isIdle());
    service.clock.advance(Duration.ofSeconds(1));
    assertTrue(service.services.isIdle());
  }

  @Test
  void aSessionWithoutCallsIsEndedAfterAWhile() {
    Client client = fixture.open();
    service.clock.advance(RpcSettings.defaults().sessions().idle().minusSeconds(1));
    client.send(get(1, "k"));
    service.clock.advance(Duration.ofSeconds(1));
    service.scheduler.tick();
    assertEquals(0, client.messages.stream().filter(SessionResponse::getGoingAway).count());
    service.clock.advance(RpcSettings.defaults().sessions().idle());
    service.scheduler.tick();
    service.scheduler.tick();
    assertEquals(1, client.messages.stream().filter(SessionResponse::getGoingAway).count());
    client.send(get(2, "k"));
    client.call().onCompleted();
    assertEquals(List.of(1L, 2L), client.answered());
    assertTrue(client.completed);
  }

  @Test
  void aDrainedNodeRefusesCallsAndSessions() {
    Client client = fixture.open();
    client.send(get(1, "held1"));
    Future<?> drained =
        NodeServiceGrpc.newFutureStub(service.channel).drain(DrainRequest.getDefaultInstance());
    assertTrue(client.messages.get(1).getGoingAway());
    client.send(insert(2, "k", "v"));
    StatusRuntimeException refused = SessionFixture.error(client.answer(2));
    assertEquals(ErrorReasons.NODE_NOT_READY, Service.reason(refused));
    assertEquals("no", applied(refused));
    assertFalse(drained.isDone());
    fixture.release("held1");
    assertTrue(drained.isDone(), "a session without calls does not hold up the drain");
    Client late = fixture.open();
    assertEquals(ErrorReasons.NODE_NOT_READY, Service.reason(Objects.requireNonNull(late.error)));
  }

  @Test
  void numbersThatDoNotIncreaseEndTheSessionAfterTheCallsBefore() {
    for (long wrong : new long[] {0, 4, 5}) {
      fixture.begun.clear();
      Client client = fixture.open();
      client.send(get(5, "held" + wrong));
      client.send(get(wrong, "k"), get(6, "k"));
      assertNull(client.error);
      assertEquals(List.of("held" + wrong), fixture.begun);
      fixture.release("held" + wrong);
      assertEquals(List.of(5L), client.answered());
      StatusRuntimeException error = Objects.requireNonNull(client.error);
      assertEquals(ErrorReasons.REPEATED_SEQUENCE, Service.reason(error));
      assertEquals(Status.Code.INVALID_ARGUMENT, error.getStatus().getCode());
    }
  }

  @Test
  void numbersAreUnsigned() {
    Client client = fixture.open();
    client.send(get(Long.MAX_VALUE, "k"), get(-1, "k"));
    assertEquals(List.of(Long.MAX_VALUE, -1L), client.answered());
    assertNull(client.error);
  }

  @Test
  void aCallOfNoKindFailsAlone() {
    Client client = fixture.open();
    client.call().onNext(SessionRequest.getDefaultInstance());
    client.send(SessionCall.newBuilder().setId(1).build(), get(2, "k"));
    assertEquals(List.of(1L, 2L), client.answered());
    StatusRuntimeException error = SessionFixture.error(client.answer(1));
    assertEquals(Status.Code.UNIMPLEMENTED, error.getStatus().getCode());
    assertEquals(ErrorReasons.UNKNOWN_CALL, Service.reason(error));
    assertEquals("no", applied(error));
  }

  @Test
  void callsOfAMessageThatIsTooLargeFailAlone() {
    Client client = fixture.open();
    String value = "x".repeat(RpcSettings.defaults().sessions().maxMessageBytes());
    client.send(insert(1, "k", value), get(2, "k"));
    client.send(get(3, "k"));
    for (long id : new long[] {1, 2}) {
      StatusRuntimeException error = SessionFixture.error(client.answer(id));
      assertEquals(ErrorReasons.REQUEST_TOO_LARGE, Service.reason(error));
      assertEquals("no", applied(error));
    }
    assertFalse(fixture.begun.contains("write"));
    assertEquals(
        ErrorReasons.COLUMN_NOT_FOUND, Service.reason(SessionFixture.error(client.answer(3))));
  }

  @Test
  void bytesThatAreNoMessageEndTheSession() {
    MethodDescriptor<byte[], SessionResponse> raw =
        ColumnStoreServiceGrpc.getSessionMethod().toBuilder(
                new MethodDescriptor.Marshaller<byte[]>() {
                  @Override
                  public InputStream stream(byte[] value) {
                    return new ByteArrayInputStream(value);
                  }

                  @Override
                  public byte[] parse(InputStream stream) {
                    throw new UnsupportedOperationException();
                  }
                },
                ColumnStoreServiceGrpc.getSessionMethod().getResponseMarshaller())
            .build();
    StatusRuntimeException[] error = new StatusRuntimeException[1];
    StreamObserver<byte[]> requests =
        ClientCalls.asyncBidiStreamingCall(
            service.channel.newCall(raw, CallOptions.DEFAULT),
            new StreamObserver<SessionResponse>() {
              @Override
              public void onNext(SessionResponse message) {
                assertTrue(message.hasLimits());
              }

              @Override
              public void onError(Throwable problem) {
                error[0] = (StatusRuntimeException) problem;
              }

              @Override
              public void onCompleted() {
                throw new AssertionError("the session was completed");
              }
            });
    requests.onNext(new byte[] {0x0a, 0x7f, 1});
    assertNotNull(error[0]);
    assertEquals(ErrorReasons.INVALID_REQUEST, Service.reason(error[0]));
  }

  @Test
  void everyCallIsCountedUnderItsMethod() {
    List<String> counted = new ArrayList<>();
    try (Service metered =
        Service.start(
            (method, code, keyspace, family, nanos) -> counted.add(method + " " + code))) {
      Client client = new Client(true);
      metered.async().session(client);
      counted.clear();
      client.send(insert(1, "k", "v"), get(2, "k"), get(3, "none"));
      String name = ColumnStoreServiceGrpc.SERVICE_NAME;
      assertEquals(
          List.of(name + "/Insert OK", name + "/Get OK", name + "/Get NOT_FOUND"), counted);
      client.call().onCompleted();
      assertEquals(name + "/Session OK", counted.get(3));
    }
  }

  @Test
  void answersSayWhatTheCallDid() {
    Client client = fixture.open();
    client.send(insert(1, "k", "v"));
    SessionCall.Builder call = get(2, "k").toBuilder();
    call.getGetBuilder().getOptionsBuilder().setIncludeStats(true);
    client.send(call.build());
    SessionAnswer answer = client.answer(2);
    assertEquals(
        service.stub().get(call.getGet()).getStats().getCoordinator(),
        answer.getGet().getStats().getCoordinator());
    assertEquals(KS, call.getGet().getKeyspace());
  }
}
