package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.admin.v1.Liveness;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a connection does with what the ring says of its node. */
final class NodeConnectionTest {

  private final CountingChannel channel = new CountingChannel();
  private final NodeConnection node =
      new NodeConnection(
          "127.0.0.1:9160",
          channel,
          null,
          new Sessions(channel, Runnable::run, false, System::nanoTime),
          new NodeConnection.Shared(Runnable::run, System::nanoTime));

  @Test
  void aNodeThatIsUpAgainIsConnectedWithoutTheRestOfThePause() {
    node.isKnownAs(shown(Liveness.LIVENESS_UP));
    node.isKnownAs(shown(Liveness.LIVENESS_SUSPECT));
    node.isKnownAs(shown(Liveness.LIVENESS_UP));
    node.isKnownAs(shown(Liveness.LIVENESS_DOWN));
    node.isKnownAs(shown(Liveness.LIVENESS_DOWN));
    assertEquals(0, channel.resets);
    node.isKnownAs(shown(Liveness.LIVENESS_UP));
    assertEquals(1, channel.resets);
    node.isKnownAs(shown(Liveness.LIVENESS_UP));
    node.isKnownAs(null);
    assertEquals(1, channel.resets);
  }

  private static RingNode shown(Liveness liveness) {
    return RingNode.of(dev.colonnade.admin.v1.RingNode.newBuilder().setLiveness(liveness).build());
  }

  /** Counts how many times pauses between attempts to connect were ended. */
  private static final class CountingChannel extends ManagedChannel {

    int resets;

    @Override
    public void resetConnectBackoff() {
      resets++;
    }

    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      throw new UnsupportedOperationException("no call is made");
    }

    @Override
    public @Nullable String authority() {
      return null;
    }

    @Override
    public ManagedChannel shutdown() {
      return this;
    }

    @Override
    public ManagedChannel shutdownNow() {
      return this;
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
