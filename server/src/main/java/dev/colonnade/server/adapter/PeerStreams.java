package dev.colonnade.server.adapter;

import dev.colonnade.server.net.ChannelClass;
import dev.colonnade.server.net.ChannelFigures;
import dev.colonnade.server.net.Frame;
import dev.colonnade.server.net.PeerAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of one lane between this node and a peer: the one that it begins, and the one
 * that the peer begins. Answers go where the question came from, all else the other way. If there
 * is no stream of the peer, answers go the other way, too. Thread-safe.
 */
final class PeerStreams {
  private final PeerAddress peer;
  private final ChannelClass channel;
  private final ChannelCounters counters;
  private final OutboundQueue queue;
  private final OutboundStream dialed;
  private volatile @Nullable InboundStream accepted;

  /** With no stream yet; {@code queue} is the one of {@code dialed}. */
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

  /** The peer has begun a stream; a former one of its takes no more answers. */
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

  /** Closes both streams and drops what waits; for good. */
  void abandon() {
    dialed.abandon();
    InboundStream stream = accepted;
    if (stream != null) {
      stream.abandon("this node takes the peer for dead");
    }
  }

  /** Sends what waits, then closes both streams; for good. */
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
        counters.sentFrames.total(),
        counters.sentBatches.total(),
        counters.sentBytes.total(),
        counters.receivedFrames.total(),
        counters.receivedBatches.total(),
        counters.receivedBytes.total(),
        counters.dropped.total(),
        counters.connects.total());
  }
}
