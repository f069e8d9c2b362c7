package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.SessionFixture.get;
import static dev.colonnade.server.service.rpc.SessionFixture.insert;
import static dev.colonnade.server.service.rpc.SessionFixture.slice;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.rpc.SessionFixture.Client;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionRequest;
import dev.colonnade.v1.SessionResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What a session may hold, and what long answers do to short ones. */
final class SessionLimitsTest {

  private static final int MEBIBYTE = 1 << 20;

  private static RpcSettings.Sessions sessions(int calls, int bytes, int pieceBytes) {
    return new RpcSettings.Sessions(calls, bytes, 32 << 10, pieceBytes, Duration.ofMinutes(5));
  }

  private static RpcSettings with(RpcSettings.Sessions sessions) {
    return RpcSettings.defaults().with(sessions);
  }

  @Test
  void noMoreIsReadWhileAsManyCallsAreOpenAsMayBe() {
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(16, MEBIBYTE, 32 << 10)), NodeMemory.unbounded())) {
      Client client = fixture.open();
      for (int id = 1; id <= 40; id++) {
        client.send(get(id, "held" + id));
      }
      assertEquals(17, fixture.begun.size(), "and one message more");
      fixture.release("held3");
      assertEquals(18, fixture.begun.size());
      for (int id = 1; id <= 40; id++) {
        if (id != 3) {
          fixture.release("held" + id);
        }
      }
      assertEquals(40, client.answered().size());
    }
  }

  @Test
  void aClientAtTheLimitIsHeardWhenItCancels() {
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(16, MEBIBYTE, 32 << 10)), NodeMemory.unbounded())) {
      Client client = fixture.open();
      for (int id = 1; id <= 16; id++) {
        client.send(get(id, "held" + id));
      }
      client.cancel(5);
      assertEquals(List.of(5L), client.answered());
    }
  }

  @Test
  void aMessageOfVeryManyCallsThatIsTooLargeEndsTheSession() {
    NodeMemory memory = small();
    try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
      Client client = fixture.open();
      client.send(get(1, "k"));
      SessionRequest.Builder many = SessionRequest.newBuilder();
      for (int id = 2; id < 20_000; id++) {
        many.addCalls(SessionCall.newBuilder().setId(id));
      }
      client.call().onNext(many.build());
      assertEquals(List.of(1L), client.answered());
      assertNotNull(client.error);
      assertEquals(ErrorReasons.REQUEST_TOO_LARGE, Service.reason(client.error));
      assertTrue(fixture.service.services.isIdle());
    }
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void aMessageOfVeryManyCancellationsThatIsTooLargeEndsTheSession() {
    NodeMemory memory = small();
    try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
      Client client = fixture.open();
      client.send(get(1, "k"));
      client.cancel(LongStream.range(0, 20_000).map(i -> (1L << 40) + i).toArray());
      assertEquals(List.of(1L), client.answered());
      assertNotNull(client.error);
      assertEquals(ErrorReasons.REQUEST_TOO_LARGE, Service.reason(client.error));
    }
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void callsBeyondThoseOfTheNodeAreRefusedAndLeaveNothing() {
    NodeMemory memory = small();
    RpcSettings.ConnectionLimits limits = RpcSettings.defaults().connections();
    RpcSettings settings =
        RpcSettings.defaults()
            .with(
                new RpcSettings.ConnectionLimits(
                    limits.maxMessageBytes(),
                    limits.maxMetadataBytes(),
                    4,
                    limits.minKeepAliveSeconds(),
                    limits.readerTimeout(),
                    limits.grace()));
    try (SessionFixture fixture = new SessionFixture(settings, memory)) {
      Client client = fixture.open();
      // The session itself is the fourth.
      client.send(get(1, "held1"), get(2, "held2"), get(3, "held3"));
      long held = memory.heap().usedBytes(MemoryUse.REQUESTS);
      for (int id = 4; id < 100; id++) {
        client.send(get(id, "k"));
        StatusRuntimeException refusal = SessionFixture.error(client.answer(id));
        assertEquals(ErrorReasons.OVERLOADED, Service.reason(refusal));
      }
      assertEquals(held, memory.heap().usedBytes(MemoryUse.REQUESTS));
      fixture.release("held1");
      client.send(get(100, "k"));
      StatusRuntimeException served = SessionFixture.error(client.answer(100));
      assertEquals(Status.Code.NOT_FOUND, served.getStatus().getCode(), "the next call is served");
    }
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void noMoreIsReadWhileAsManyBytesAreOpenAsMayBe() {
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(1_000, 32 << 10, 32 << 10)), NodeMemory.unbounded())) {
      Client client = fixture.open();
      fixture.holdWrites = true;
      for (int id = 1; id <= 12; id++) {
        client.send(insert(id, "k", "x".repeat(10 << 10)));
      }
      assertEquals(4, fixture.begun.size());
      fixture.heldWrites.get(0).complete(AskedReplicas.NONE);
      assertEquals(5, fixture.begun.size());
    }
  }

  @Test
  void aClientThatTakesNoAnswersStopsItsOwnCalls() {
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(16, MEBIBYTE, 32 << 10)), NodeMemory.unbounded())) {
      Client client = fixture.openUnread();
      for (int id = 1; id <= 200; id++) {
        client.send(get(id, "k" + id));
      }
      int begun = fixture.begun.size();
      assertTrue(begun < 100, begun + " of 200 calls have begun, and none was read");
      client.call().request(1_000);
      assertEquals(200, fixture.begun.size());
      assertEquals(200, client.answered().size());
    }
  }

  @Test
  void aLongAnswerComesInPiecesAndShortOnesBetweenThem() throws InvalidProtocolBufferException {
    try (SessionFixture fixture = new SessionFixture()) {
      for (int i = 0; i < 30; i++) {
        fixture.service.insert("wide", "Standard1", "c" + (10 + i), "v".repeat(60 << 10), 1);
      }
      fixture.service.insert("k", "Standard1", "c", "v", 1);
      GetSliceResponse unary =
          fixture.service.stub().getSlice(slice(0, "wide", 2 << 20).getGetSlice());
      assertTrue(unary.getSerializedSize() > 1_800_000);
      Client client = fixture.openUnread();
      client.send(slice(1, "wide", 2 << 20), slice(2, "wide", 2 << 20));
      long next = 3;
      while (client.messages.size() < 10) {
        client.call().request(1);
        client.send(get(next, "k"));
        next++;
      }
      assertTrue(
          client.answered().containsAll(List.of(3L, 4L)),
          "short answers wait for a whole long one: " + client.answered());
      client.call().request(1_000);
      for (long id : new long[] {1, 2}) {
        assertEquals(unary, GetSliceResponse.parseFrom(pieces(client, id)));
      }
      assertEquals(next - 1, client.answered().stream().distinct().count());
      for (SessionResponse message : client.messages) {
        assertTrue(message.getSerializedSize() < 2 * (32 << 10) + 100);
        assertTrue(message.getAnswersList().stream().filter(SessionAnswer::hasPiece).count() <= 1);
      }
    }
  }

  private static ByteString pieces(Client client, long id) {
    ByteString whole = ByteString.EMPTY;
    boolean last = false;
    for (SessionAnswer answer : client.answers) {
      if (answer.getId() == id) {
        assertFalse(last, "a piece behind the last one");
        assertTrue(answer.getPiece().size() <= 32 << 10);
        whole = whole.concat(answer.getPiece());
        last = answer.getLastPiece();
      }
    }
    assertTrue(last);
    return whole;
  }

  @Test
  void answersOfManyLengthsAreThoseOfUnaryCalls() throws InvalidProtocolBufferException {
    Random random = new Random(7);
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(64, MEBIBYTE, 1_000)), NodeMemory.unbounded())) {
      List<Integer> lengths = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        int length = 850 + i * 5 + random.nextInt(3);
        lengths.add(length);
        fixture.service.insert("row" + i, "Standard1", "c", "v".repeat(length), 1);
      }
      lengths.add(70_001);
      fixture.service.insert("row60", "Standard1", "c", "v".repeat(70_001), 1);
      Client client = fixture.open();
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < lengths.size(); i++) {
        order.add(i);
      }
      Collections.shuffle(order, random);
      for (int i = 0; i < order.size(); i++) {
        client.send(slice(i + 1, "row" + order.get(i), 0));
      }
      for (int i = 0; i < order.size(); i++) {
        GetSliceResponse answer =
            client.answer(i + 1).hasGetSlice()
                ? client.answer(i + 1).getGetSlice()
                : GetSliceResponse.parseFrom(whole(client, i + 1));
        int length = lengths.get(order.get(i));
        assertEquals(
            length, answer.getColumns(0).getColumn().getValue().size(), "seed 7, row " + i);
        assertEquals(
            answer.getSerializedSize() > 1_000,
            client.answer(i + 1).hasPiece(),
            "length " + length);
      }
    }
  }

  private static ByteString whole(Client client, long id) {
    return client.answers.stream()
        .filter(answer -> answer.getId() == id)
        .map(SessionAnswer::getPiece)
        .reduce(ByteString.EMPTY, ByteString::concat);
  }

  private static NodeMemory small() {
    return NodeMemory.of(
        MemoryPlan.forHeap(256L << 20),
        new MemoryPool(16 * MEBIBYTE, 64 << 10),
        new MemoryPool(16 * MEBIBYTE, 64 << 10));
  }

  @Test
  void allMemoryIsGivenBackHoweverASessionEnds() {
    for (int seed = 0; seed < 25; seed++) {
      Random random = new Random(seed);
      NodeMemory memory = small();
      try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
        fixture.service.insert("wide", "Standard1", "c", "v".repeat(300 << 10), 1);
        ManagedChannel connection = fixture.service.newConnection();
        Client client = new Client(random.nextBoolean());
        ColumnStoreServiceGrpc.newStub(connection).session(client);
        for (long id = 1; id <= 30; id++) {
          switch (random.nextInt(6)) {
            case 0 -> client.send(slice(id, "wide", 0));
            case 1 -> client.send(insert(id, "k", "v".repeat(random.nextInt(20_000))));
            case 2 -> {
              client.send(get(id, "held" + id), get(id + 100, "k"));
              id += 100;
            }
            case 3 -> client.cancel(random.nextInt(200));
            case 4 -> client.call().request(random.nextInt(3) + 1);
            default -> client.send(get(id, "none"));
          }
        }
        assertNotEquals(0, memory.heap().usedBytes(), "seed " + seed);
        switch (random.nextInt(4)) {
          case 0 -> client.call().cancel("it goes", null);
          case 2 -> {
            client.call().request(1_000);
            // Longer than any message may be: the intake closes the stream, not the session.
            client.send(insert(1_000, "k", "v".repeat(24 << 20)));
            fixture.heldReads.values().removeIf(CompletableFuture::isDone);
            List.copyOf(fixture.heldReads.keySet()).forEach(fixture::release);
          }
          case 1 -> connection.shutdownNow();
          default -> {
            client.call().request(1_000);
            client.call().onCompleted();
            fixture.heldReads.values().removeIf(CompletableFuture::isDone);
            List.copyOf(fixture.heldReads.keySet()).forEach(fixture::release);
            client.call().request(1_000);
          }
        }
        assertTrue(fixture.service.services.isIdle(), "seed " + seed);
        connection.shutdownNow();
        assertEquals(0, memory.heap().usedBytes(), "heap, seed " + seed);
        assertEquals(0, memory.direct().usedBytes(), "direct, seed " + seed);
      }
    }
  }

  @Test
  void withoutMemoryCallsAreRefusedAndTheSessionGoesOn() {
    NodeMemory memory = small();
    MemoryPool.PoolShare others = memory.heap().share(1_000);
    try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
      Client client = fixture.open();
      client.send(get(1, "k"));
      long all = memory.heap().capacityBytes() - memory.heap().usedBytes();
      others.take(MemoryUse.PEER_REQUESTS, all);
      client.send(get(2, "k"));
      fixture.service.scheduler.runDelayed();
      others.release(MemoryUse.PEER_REQUESTS, all);
      fixture.service.scheduler.runDelayed();
      client.send(get(3, "k"));
      assertEquals(List.of(1L, 2L, 3L), client.answered());
      assertNull(client.error);
    }
  }

  @Test
  void withoutMemoryForACallItIsRefusedAlone() {
    NodeMemory memory =
        NodeMemory.of(
            MemoryPlan.forHeap(256L << 20),
            new MemoryPool(100 << 10, 32 << 10),
            new MemoryPool(16 * MEBIBYTE, 64 << 10));
    try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
      Client client = fixture.open();
      for (int id = 1; id <= 12; id++) {
        client.send(get(id, "held" + id));
      }
      assertFalse(client.answered().isEmpty());
      for (SessionAnswer answer : client.answers) {
        assertEquals(ErrorReasons.OVERLOADED, Service.reason(SessionFixture.error(answer)));
      }
      List.copyOf(fixture.heldReads.keySet()).forEach(fixture::release);
      assertEquals(12, client.answered().size());
      assertNull(client.error);
    }
  }

  @Test
  void aNodeHasRoomForASessionOfEachOfManyClients() {
    NodeMemory memory =
        NodeMemory.of(
            MemoryPlan.forHeap(1L << 30),
            new MemoryPool(64 * MEBIBYTE, 64 << 10),
            new MemoryPool(32 * MEBIBYTE, 64 << 10));
    try (SessionFixture fixture = new SessionFixture(RpcSettings.defaults(), memory)) {
      for (int i = 0; i < 500; i++) {
        Client client = fixture.open();
        client.send(get(1, "k"));
        assertEquals(List.of(1L), client.answered(), "session " + i);
      }
    }
  }

  @Test
  void whileASessionDoesNotReadItHoldsTheMemoryForWhatItsClientSends() {
    NodeMemory memory = small();
    long window = memory.plan().windowBytes();
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(16, MEBIBYTE, 32 << 10)), memory)) {
      Client client = fixture.open();
      for (int id = 1; id <= 16; id++) {
        assertTrue(memory.direct().usedBytes(MemoryUse.RECEIVING) < window);
        client.send(get(id, "held" + id));
      }
      client.send(get(17, "held17"));
      assertTrue(memory.direct().usedBytes(MemoryUse.RECEIVING) >= window);
      fixture.release("held1");
      fixture.release("held2");
      assertTrue(memory.direct().usedBytes(MemoryUse.RECEIVING) < window);
      client.send(get(18, "held18"));
      client.send(get(19, "held19"));
      assertTrue(memory.direct().usedBytes(MemoryUse.RECEIVING) >= window, "and once more");
      fixture.release("held18");
      fixture.release("held19");
      assertTrue(memory.direct().usedBytes(MemoryUse.RECEIVING) < window);
      assertNull(client.error);
    }
  }

  @Test
  void aSessionThatCannotHoldWhatItsClientSendsEnds() {
    NodeMemory memory = small();
    try (SessionFixture fixture =
        new SessionFixture(with(sessions(16, MEBIBYTE, 32 << 10)), memory)) {
      Client client = fixture.open();
      MemoryPool.PoolShare others = memory.direct().share(1_000);
      long all = memory.direct().capacityBytes() - memory.direct().usedBytes();
      others.take(MemoryUse.SENDING, all - (64 << 10));
      for (int id = 1; id <= 17; id++) {
        client.send(get(id, "held" + id));
      }
      assertEquals(ErrorReasons.OVERLOADED, Service.reason(Objects.requireNonNull(client.error)));
      others.release(MemoryUse.SENDING, all - (64 << 10));
    }
    assertEquals(0, memory.direct().usedBytes());
    assertEquals(0, memory.heap().usedBytes());
  }
}
