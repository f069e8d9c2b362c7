package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.Batch;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What both ends of a stream do with a batch received. */
final class Inbound {
  private static final Logger LOG = LoggerFactory.getLogger(Inbound.class);

  private Inbound() {}

  static void deliver(Batch batch, Peer from, ChannelCounters counters, Consumer<Frame> receiver) {
    long bytes = 0;
    counters.receivedBatches.increment();
    counters.receivedFrames.add(batch.getFramesCount());
    for (dev.colonnade.internode.v1.Frame message : batch.getFramesList()) {
      Frame frame = PeerMessages.toFrame(message, from);
      if (frame == null) {
        counters.dropped.increment();
        LOG.debug("{} sent a message of an unknown kind: verb {}", from, message.getVerb());
        continue;
      }
      bytes += frame.body().length;
      receiver.accept(frame);
    }
    counters.receivedBytes.add(bytes);
  }

  /**
   * Requests the next batch after the loop has served its other streams, so that a busy stream does
   * not make them wait.
   */
  static void requestNext(EventExecutor loop, IntConsumer request) {
    loop.execute(() -> request.accept(1));
  }
}
