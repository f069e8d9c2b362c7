package dev.colonnade.server.cluster.net;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Delivers frames on request, in the order of sending; loses them only on request. */
final class TestNetwork {
  private record Sent(PeerAddress to, Frame frame) {}

  private final Map<PeerAddress, FrameReceiver> receivers = new LinkedHashMap<>();
  private final Deque<Sent> queue = new ArrayDeque<>();
  private final List<PeerAddress> forgotten = new ArrayList<>();
  private boolean full;

  Transport at(PeerAddress address) {
    return new Transport() {
      @Override
      public boolean send(PeerAddress to, Frame frame) {
        return !full && queue.add(new Sent(to, frame));
      }

      @Override
      public void receive(FrameReceiver receiver) {
        receivers.put(address, receiver);
      }

      @Override
      public void forget(PeerAddress peer) {
        forgotten.add(peer);
      }
    };
  }

  void full(boolean nowFull) {
    full = nowFull;
  }

  List<PeerAddress> forgotten() {
    return forgotten;
  }

  /** Frames in transit, in order. */
  List<Frame> underWay() {
    return queue.stream().map(Sent::frame).toList();
  }

  /** Loses the next frame. */
  Frame lose() {
    return queue.removeFirst().frame();
  }

  /** The DATA stream that carries requests from one node to another breaks. */
  void breakStream(PeerAddress from, PeerAddress to) {
    Objects.requireNonNull(receivers.get(from)).broke(to, ChannelClass.DATA);
  }

  /** Delivers the next frame, encoded and decoded. */
  void step() throws Exception {
    Sent next = queue.removeFirst();
    bring(next.to(), next.frame());
  }

  void bring(PeerAddress to, Frame frame) throws Exception {
    @Nullable FrameReceiver receiver = receivers.get(to);
    if (receiver != null) {
      receiver.accept(FrameCodec.decode(FrameCodec.encode(frame)));
    }
  }

  void run() throws Exception {
    while (!queue.isEmpty()) {
      step();
    }
  }
}
