package dev.colonnade.client;

import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.ManagedChannelBuilder;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** How a client reaches its nodes. Thread-safe. */
interface Network {

  /**
   * The way to one node.
   *
   * @param channel makes the channel
   * @param sender runs tasks one after another, on the thread that brings the node's answers if it
   *     can
   */
  record Route(ManagedChannelBuilder<?> channel, Executor sender) {}

  /**
   * A way to a node.
   *
   * @param target where it is, as gRPC understands it
   */
  Route to(String target);

  /** Ends its threads, once they have done what they were asked to; after the channels. */
  void close();

  /** Channels that have no thread to send from: a task runs on a thread that brings one. */
  static Network of(Function<String, ManagedChannelBuilder<?>> channels) {
    return new Network() {
      @Override
      public Route to(String target) {
        return new Route(
            channels.apply(target),
            MoreExecutors.newSequentialExecutor(MoreExecutors.directExecutor()));
      }

      @Override
      public void close() {
        // There is nothing to end.
      }
    };
  }
}
