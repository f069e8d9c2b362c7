package dev.colonnade.server.adapter;

import dev.colonnade.server.net.Frame;
import dev.colonnade.server.net.Lane;
import dev.colonnade.server.net.LaneFigures;
import dev.colonnade.server.net.PeerAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The two streams of one lane between this node and a peer: the one that it begins, and the one
 * that the peer begins. Answers go where the question came from, all else the other way. If there
 * is no stream of the peer, answers go the other way, too. Thread-safe.
 */
final class PeerLane {
  private final PeerAddress peer;
  private final Lane lane;
  private final LaneCounters counters;
  private final LaneQueue queue;
  private final DialedLane dialed;
  private volatile @Nullable AcceptedLane accepted;

  /** With no stream yet; {@code queue} is the one of {@code dialed}. */
  PeerLane(PeerAddress peer, Lane lane, LaneCounters counters, LaneQueue queue, DialedLane dialed) {
    this.peer = peer;
    this.lane = lane;
    this.counters = counters;
    this.queue = queue;
    this.dialed = dialed;
  }

  LaneCounters counters() {
    return counters;
  }

  boolean send(Frame frame) {
    boolean answer = frame.kind() == Frame.Kind.REPLY || frame.kind() == Frame.Kind.FAILURE;
    AcceptedLane stream = answer ? accepted : null;
    return stream != null ? stream.send(frame) : dialed.send(frame);
  }

  /** The peer has begun a stream; a former one of its takes no more answers. */
  void enter(AcceptedLane stream) {
    accepted = stream;
    dialed.peerIsThere();
  }

  void leave(AcceptedLane stream) {
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
    AcceptedLane stream = accepted;
    if (stream != null) {
      stream.abandon("this node takes the peer for dead");
    }
  }

  /** Sends what waits, then closes both streams; for good. */
  CompletableFuture<Void> finish() {
    AcceptedLane stream = accepted;
    if (stream != null) {
      stream.finishWhenSent();
    }
    return dialed.finish();
  }

  LaneFigures figures() {
    AcceptedLane stream = accepted;
    return new LaneFigures(
        peer,
        lane,
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
