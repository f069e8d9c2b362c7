package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which of a node's connections a call goes to. */
final class WideChannelTest {

  private final List<FakeChannel> made = new ArrayList<>();
  private final WideChannel channel = new WideChannel(make(), this::make, 3);

  private FakeChannel make() {
    FakeChannel next = new FakeChannel();
    made.add(next);
    return next;
  }

  @Test
  void aFurtherConnectionIsMadeOnlyWhenAllAreFull() {
    start(WideChannel.FULL);
    assertEquals(1, channel.connections());
    start(1);
    assertEquals(2, channel.connections());
    assertEquals(List.of(WideChannel.FULL, 1), open());
  }

  @Test
  void callsThatEndMakeRoomOnTheFirstConnection() {
    start(WideChannel.FULL + 1);
    made.get(0).endOne();
    start(1);
    assertEquals(List.of(WideChannel.FULL, 1), open());
  }

  @Test
  void whereThereMayBeNoMoreTheLeastUsedIsTaken() {
    start(3 * WideChannel.FULL);
    made.get(1).endOne();
    start(3);
    assertEquals(3, channel.connections());
    assertEquals(List.of(WideChannel.FULL + 1, WideChannel.FULL + 1, WideChannel.FULL), open());
  }

  @Test
  void aCallThatCannotBeStartedTakesNoRoom() {
    made.get(0).broken = true;
    for (int i = 0; i < 2 * WideChannel.FULL; i++) {
      assertThrows(IllegalStateException.class, () -> start(1));
    }
    assertEquals(1, channel.connections());
  }

  @Test
  void aShutDownReachesAllConnectionsAndNoneIsMadeAfterIt() {
    start(WideChannel.FULL + 1);
    channel.shutdown();
    start(WideChannel.FULL);
    assertEquals(2, channel.connections());
    assertTrue(made.stream().allMatch(FakeChannel::isShutdown));
    assertFalse(channel.isTerminated());
    made.forEach(FakeChannel::shutdownNow);
    assertTrue(channel.isTerminated());
  }

  private void start(int calls) {
    for (int i = 0; i < calls; i++) {
      channel
          .newCall(ColumnStoreServiceGrpc.getGetMethod(), CallOptions.DEFAULT)
          .start(new ClientCall.Listener<>() {}, new Metadata());
    }
  }

  private List<Integer> open() {
    return made.stream().map(each -> each.calls.size()).toList();
  }

  /** Keeps the calls that it is given. */
  private static final class FakeChannel extends ManagedChannel {

    final Deque<ClientCall.Listener<?>> calls = new ArrayDeque<>();
    boolean broken;
    private boolean shutDown;
    private boolean terminated;

    void endOne() {
      calls.remove().onClose(Status.OK, new Metadata());
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      return new ClientCall<>() {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          if (broken) {
            throw new IllegalStateException("broken");
          }
          calls.add(listener);
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
      return "node";
    }

    @Override
    public ManagedChannel shutdown() {
      shutDown = true;
      return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
      terminated = true;
      return shutdown();
    }

    @Override
    public boolean isShutdown() {
      return shutDown;
    }

    @Override
    public boolean isTerminated() {
      return terminated;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return terminated;
    }
  }
}
