package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.Attributes;
import io.grpc.MethodDescriptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The memory that one call is charged for, from its headers to its end. */
final class CallMemoryTest {

  private static final int MEBIBYTE = 1 << 20;

  private final NodeMemory memory =
      NodeMemory.of(
          MemoryPlan.forHeap(256L << 20),
          new MemoryPool(56 * MEBIBYTE, 64 << 10),
          new MemoryPool(32 * MEBIBYTE, 64 << 10));

  private final ClientMemory clients =
      new ClientMemory(memory, 16 * MEBIBYTE, () -> 0, Duration.ofMinutes(5));

  private static final class Info
      extends ServerStreamTracer.ServerCallInfo<ByteString, ByteString> {
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"}) // only its type is looked at
    public MethodDescriptor<ByteString, ByteString> getMethodDescriptor() {
      return (MethodDescriptor) ColumnStoreServiceGrpc.getInsertMethod();
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.EMPTY;
    }

    @Override
    public @Nullable String getAuthority() {
      return null;
    }
  }

  private CallMemory call(ConnectionMemory connection) {
    CallMemory call = new CallMemory(clients, connection);
    call.serverCallStarted(new Info());
    return call;
  }

  private static boolean receive(CallMemory call, int bytes) {
    for (int come = 0; come < bytes && !call.isRefused(); come += 16 << 10) {
      call.inboundWireSize(16 << 10);
    }
    return !call.isRefused();
  }

  @Test
  void messagesThatStayUnfinishedAreRefusedBeforeTheyFillTheMemory() {
    List<ConnectionMemory> connections = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      connections.add(ConnectionMemory.of(memory));
    }
    int refused = 0;
    List<CallMemory> calls = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      CallMemory call = call(connections.get(i % 8));
      calls.add(call);
      int[] ended = new int[1];
      assertTrue(call.begin(() -> ended[0]++));
      if (!receive(call, 15 * MEBIBYTE)) {
        assertEquals(1, ended[0]);
        call.streamClosed(Status.RESOURCE_EXHAUSTED);
        refused++;
      }
    }
    assertTrue(refused > 50, refused + " of 64 were refused");
    assertTrue(memory.direct().usedBytes() <= 32 * MEBIBYTE);
    assertTrue(memory.direct().refusals(MemoryUse.RECEIVING) >= refused);
    // Another client is served beside them.
    CallMemory small = call(ConnectionMemory.of(memory));
    assertTrue(small.begin(() -> {}));
    assertTrue(receive(small, 32 << 10));
    small.streamClosed(Status.OK);
    calls.forEach(call -> call.streamClosed(Status.CANCELLED));
    assertEquals(0, memory.direct().usedBytes());
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void theLargestMessageComesThroughWhenItIsAlone() {
    CallMemory call = call(ConnectionMemory.of(memory));
    assertTrue(call.begin(() -> {}));
    assertTrue(receive(call, 15 * MEBIBYTE));
    call.received();
    assertTrue(call.holdRequest(2 * 16 * MEBIBYTE), "its array, and what it becomes");
    call.streamClosed(Status.OK);
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void workThatGoesOnKeepsItsRequestAndNothingElse() {
    CallMemory call = call(ConnectionMemory.of(memory));
    assertTrue(call.begin(() -> {}));
    assertTrue(call.holdRequest(MEBIBYTE));
    call.workBegins();
    call.streamClosed(Status.CANCELLED);
    assertEquals(MEBIBYTE + CallMemory.BASE_HEAP_BYTES, memory.heap().usedBytes());
    assertEquals(0, memory.direct().usedBytes());
    call.workEnds();
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void withoutMemoryNoCallBegins() {
    MemoryPool.PoolShare others = memory.heap().share(1_000);
    others.take(MemoryUse.PEER_REQUESTS, 56 * MEBIBYTE);
    CallMemory call = call(ConnectionMemory.of(memory));
    assertFalse(call.begin(() -> {}));
    call.streamClosed(Status.RESOURCE_EXHAUSTED);
    assertEquals(0, memory.direct().usedBytes());
    others.release(MemoryUse.PEER_REQUESTS, 56 * MEBIBYTE);
    assertEquals(0, memory.heap().usedBytes());
  }

  @Test
  void whateverACallGoesThroughAllIsGivenBack() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      CallMemory call = call(ConnectionMemory.of(memory));
      assertTrue(call.begin(() -> {}));
      int works = 0;
      long taken = 0;
      boolean closed = false;
      for (int step = 0; step < 20; step++) {
        switch (random.nextInt(10)) {
          case 0 -> call.inboundWireSize(random.nextInt(MEBIBYTE));
          case 1 -> call.received();
          case 2 -> call.holdRequest(random.nextInt(8 * MEBIBYTE));
          case 3 -> taken += call.takeRequest();
          case 4 -> call.holdAnswer(random.nextInt(8 * MEBIBYTE), random.nextInt(4 * MEBIBYTE));
          case 5 -> call.holdMessage(random.nextInt(4 * MEBIBYTE));
          case 6 -> call.handedOver();
          case 7 -> call.readerCaughtUp();
          case 8 -> {
            call.workBegins();
            works++;
          }
          default -> {
            if (works > 0 && random.nextBoolean()) {
              call.workEnds();
              works--;
            }
            if (!closed && step > 15) {
              call.streamClosed(Status.OK);
              closed = true;
            }
          }
        }
      }
      call.releaseRequest(taken);
      if (!closed) {
        call.streamClosed(Status.OK);
      }
      for (; works > 0; works--) {
        call.workEnds();
      }
      assertEquals(0, memory.heap().usedBytes(), "heap, seed " + seed);
      assertEquals(0, memory.direct().usedBytes(), "direct, seed " + seed);
    }
  }
}
