package dev.colonnade.server.node.platform;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one channel class between this node and a peer's address: the one that this node
 * opens, and one for each node that opened one and named that address as its own. Answers use the
 * stream that the requesting node opened, all else uses the other one. If that node has opened no
 * stream, answers use this node's. Thread-safe.
 *
 * <p>A node can name any address, but not another id than that of its certificate. So answers are
 * found by the id of the node, and a stream is never given those of another node.
 */
final class PeerStreams {
  private final PeerAddress peer;
  private final ChannelClass channel;
  private final ChannelCounters counters;
  private final OutboundQueue queue;
  private final OutboundStream dialed;

  /** The streams that nodes opened, by the node's id. Each has a connection, which are bounded. */
  private final Map<String, InboundStream> accepted = new ConcurrentHashMap<>();

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
    InboundStream stream = answer ? accepted.get(frame.toId()) : null;
    return stream != null ? stream.send(frame) : dialed.send(frame);
  }

  /** Registers a stream that a node opened; an earlier one of that node takes no more answers. */
  void enter(String nodeId, InboundStream stream) {
    accepted.put(nodeId, stream);
    dialed.peerIsThere();
  }

  void leave(String nodeId, InboundStream stream) {
    accepted.remove(nodeId, stream);
  }

  /** The id of the node that answers at the address now; null if this node is not connected. */
  @Nullable String answering() {
    return dialed.answering();
  }

  /**
   * Ends the streams of nodes that name the address as their own, and are not the one that answers
   * there.
   *
   * @return how many
   */
  int endOthers(String nodeId) {
    int ended = 0;
    for (Map.Entry<String, InboundStream> each : accepted.entrySet()) {
      if (!each.getKey().equals(nodeId)) {
        each.getValue().abandon("another node answers at the address that this one names");
        ended++;
      }
    }
    return ended;
  }

  void peerIsThere() {
    dialed.peerIsThere();
  }

  /** Closes both streams and drops queued frames, for good. */
  void abandon() {
    dialed.abandon();
    accepted.values().forEach(stream -> stream.abandon("this node considers the peer dead"));
  }

  /** Sends queued frames, then closes both streams for good. */
  CompletableFuture<Void> finish() {
    accepted.values().forEach(InboundStream::finishWhenSent);
    return dialed.finish();
  }

  ChannelFigures figures() {
    return new ChannelFigures(
        peer,
        channel,
        dialed.isConnected(),
        queue.size() + accepted.values().stream().mapToInt(InboundStream::queuedFrames).sum(),
        queue.bytes() + accepted.values().stream().mapToLong(InboundStream::queuedBytes).sum(),
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
