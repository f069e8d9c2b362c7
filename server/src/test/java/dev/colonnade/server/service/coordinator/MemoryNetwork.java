package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Delivers messages between nodes of one process in virtual time, or loses them on request. */
public final class MemoryNetwork {

  private static final Duration DELAY = Duration.ofMillis(1);

  private final SimScheduler scheduler;
  private final Map<PeerAddress, Consumer<Frame>> receivers = new TreeMap<>();
  private final List<Frame> delivered = new ArrayList<>();
  private Predicate<Route> lost = route -> false;
  private Predicate<Route> slow = route -> false;
  private Duration slowness = Duration.ZERO;

  /** A message and where it goes. */
  public record Route(PeerAddress to, Frame frame) {
    boolean touches(PeerAddress node) {
      return to.equals(node) || frame.from().address().equals(node);
    }
  }

  MemoryNetwork(SimScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** From now on these are lost, and no others. */
  public void lose(Predicate<Route> which) {
    lost = which;
  }

  /** From now on these take longer. */
  public void slow(Predicate<Route> which, Duration by) {
    slow = which;
    slowness = by;
  }

  /** What has arrived since the last call. */
  List<Frame> delivered() {
    List<Frame> frames = List.copyOf(delivered);
    delivered.clear();
    return frames;
  }

  Transport at(PeerAddress address) {
    return new Transport() {
      @Override
      public boolean send(PeerAddress to, Frame frame) {
        Route route = new Route(to, frame);
        if (!lost.test(route)) {
          Duration delay = slow.test(route) ? DELAY.plus(slowness) : DELAY;
          scheduler.after(delay, Stage.TIMER, () -> scheduler.outside(() -> deliver(to, frame)));
        }
        return true;
      }

      @Override
      public void receive(FrameReceiver receiver) {
        receivers.put(address, receiver);
      }

      @Override
      public void forget(PeerAddress peer) {}
    };
  }

  private void deliver(PeerAddress to, Frame frame) {
    Consumer<Frame> receiver = receivers.get(to);
    if (receiver != null) {
      delivered.add(frame);
      receiver.accept(frame);
    }
  }
}
