package dev.colonnade.server.node.platform;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of one channel class between this node and a peer: the one that this node opens
 * and the one that the peer opens. Answers use the stream of their request, all else uses the other
 * one. If the peer has opened no stream, answers use this node's. Thread-safe.
 */
final class PeerStreams {
  private final PeerAddress peer;
  private final ChannelClass channel;
  private final ChannelCounters counters;
  private final OutboundQueue queue;
  private final OutboundStream dialed;
  private volatile @Nullable InboundStream accepted;

  /** Starts without a stream; {@code queue} is that of {@code dialed}. */
  PeerStreams(
      PeerAddress peer,
      ChannelClass channel,
      ChannelCounters counters,
      OutboundQueue queue,
      OutboundStream dialed) {
    this.peer = peer;
    this.channel = channel;
    this.counters = counters;
    this.queue = queue;
    this.dialed = dialed;
  }

  ChannelCounters counters() {
    return counters;
  }

  boolean send(Frame frame) {
    boolean answer =
        frame.kind() == Frame.FrameKind.REPLY || frame.kind() == Frame.FrameKind.FAILURE;
    InboundStream stream = answer ? accepted : null;
    return stream != null ? stream.send(frame) : dialed.send(frame);
  }

  /** Registers a stream that the peer opened; an earlier one of the peer takes no more answers. */
  void enter(InboundStream stream) {
    accepted = stream;
    dialed.peerIsThere();
  }

  void leave(InboundStream stream) {
    if (accepted == stream) {
      accepted = null;
    }
  }

  void peerIsThere() {
    dialed.peerIsThere();
  }

  /** Closes both streams and drops queued frames, for good. */
  void abandon() {
    dialed.abandon();
    InboundStream stream = accepted;
    if (stream != null) {
      stream.abandon("this node considers the peer dead");
    }
  }

  /** Sends queued frames, then closes both streams for good. */
  CompletableFuture<Void> finish() {
    InboundStream stream = accepted;
    if (stream != null) {
      stream.finishWhenSent();
    }
    return dialed.finish();
  }

  ChannelFigures figures() {
    InboundStream stream = accepted;
    return new ChannelFigures(
        peer,
        channel,
        dialed.isConnected(),
        queue.size() + (stream == null ? 0 : stream.queuedFrames()),
        queue.bytes() + (stream == null ? 0 : stream.queuedBytes()),
        counters.sentFrames.sum(),
        counters.sentBatches.sum(),
        counters.sentBytes.sum(),
        counters.receivedFrames.sum(),
        counters.receivedBatches.sum(),
        counters.receivedBytes.sum(),
        counters.dropped.sum(),
        counters.connects.sum());
  }
}
