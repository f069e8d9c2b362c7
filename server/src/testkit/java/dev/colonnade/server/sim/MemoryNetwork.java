package dev.colonnade.server.sim;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.net.FrameReceiver;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A network between parts of nodes in one process, for tests of one component that need no whole
 * machines; those have {@link SimNetwork}. Messages travel as bytes. They arrive in virtual time,
 * or one by one when the test says so. For one thread.
 */
public final class MemoryNetwork {

  /** A message and where it goes. */
  public record Route(PeerAddress to, Frame frame) {

    /** Whether it comes from a node or goes to it. */
    public boolean touches(PeerAddress node) {
      return to.equals(node) || frame.from().address().equals(node);
    }
  }

  /** Decides what becomes of messages. */
  public interface Conditions {

    /**
     * After how long each copy of a message arrives; empty if it is lost. Called when it is sent.
     */
    List<Duration> arrivals(Route route);

    /** Whether a copy that was under way still arrives. */
    default boolean arrives(Route route) {
      return true;
    }
  }

  /** Who listens at an address, and how its code is run. */
  private record Port(FrameReceiver receiver, Consumer<Runnable> runs) {}

  /** A message under way. */
  private static final class Flight {
    final Route route;
    final byte[] bytes;

    Flight(Route route, byte[] bytes) {
      this.route = route;
      this.bytes = bytes;
    }
  }

  private static final Duration DELAY = Duration.ofMillis(1);

  private final @Nullable SimScheduler scheduler;
  private final Stage stage;
  private final Map<PeerAddress, Port> ports = new TreeMap<>();
  private final Deque<Flight> waiting = new ArrayDeque<>();
  private @Nullable List<Frame> delivered;
  private final List<PeerAddress> forgotten = new ArrayList<>();
  private Conditions conditions = this::plain;
  private Predicate<Route> lost = route -> false;
  private Predicate<Route> slow = route -> false;
  private Duration slowness = Duration.ZERO;
  private Consumer<Flight> watcher = flight -> {};
  private boolean full;
  private long sentFrames;
  private long sentBytes;

  private MemoryNetwork(@Nullable SimScheduler scheduler, Stage stage) {
    this.scheduler = scheduler;
    this.stage = stage;
  }

  /** Messages arrive in virtual time, after a millisecond unless conditions say otherwise. */
  public static MemoryNetwork timed(SimScheduler scheduler, Stage stage) {
    return new MemoryNetwork(scheduler, stage);
  }

  /** Messages wait, in the order of sending, for {@link #step} or {@link #loseNext}. */
  public static MemoryNetwork byHand() {
    return new MemoryNetwork(null, Stage.TIMER);
  }

  private List<Duration> plain(Route route) {
    if (lost.test(route)) {
      return List.of();
    }
    return List.of(slow.test(route) ? DELAY.plus(slowness) : DELAY);
  }

  /** From now on these are lost, and no others. Has no effect if there are {@link #conditions}. */
  public void lose(Predicate<Route> which) {
    lost = which;
  }

  /** From now on these take longer. Has no effect if there are {@link #conditions}. */
  public void slow(Predicate<Route> which, Duration by) {
    slow = which;
    slowness = by;
  }

  /** Sets what becomes of messages that are sent from now on. */
  public void conditions(Conditions now) {
    conditions = now;
  }

  /** While it is full, messages are refused where they are sent. */
  public void full(boolean now) {
    full = now;
  }

  /** Is told of each message that arrives: where, and its bytes. */
  public void watch(BiConsumer<PeerAddress, byte[]> told) {
    watcher = flight -> told.accept(flight.route.to(), flight.bytes);
  }

  /** A node's way to send, and to be reached at its address from when it listens. */
  public Transport at(PeerAddress address) {
    SimScheduler time = scheduler;
    return at(address, time == null ? Runnable::run : time::outside);
  }

  /**
   * The same for a node with its own way to run code.
   *
   * @param runs runs what the node does with a message
   */
  public Transport at(PeerAddress address, Consumer<Runnable> runs) {
    return new Transport() {
      @Override
      public boolean send(PeerAddress to, Frame frame) {
        return !full && accept(new Route(to, frame));
      }

      @Override
      public void receive(FrameReceiver receiver) {
        ports.put(address, new Port(receiver, runs));
      }

      @Override
      public void forget(PeerAddress peer) {
        forgotten.add(peer);
      }
    };
  }

  private boolean accept(Route route) {
    List<Duration> arrivals = conditions.arrivals(route);
    byte[] bytes = FrameCodec.encode(route.frame());
    sentFrames++;
    sentBytes += bytes.length;
    Flight flight = new Flight(route, bytes);
    SimScheduler time = scheduler;
    for (Duration delay : arrivals) {
      if (time == null) {
        waiting.add(flight);
      } else {
        time.after(delay, stage, () -> arrive(flight));
      }
    }
    return true;
  }

  private void arrive(Flight flight) {
    Port port = ports.get(flight.route.to());
    if (port == null || !conditions.arrives(flight.route)) {
      return;
    }
    Frame frame;
    try {
      frame = FrameCodec.decode(flight.bytes);
    } catch (CorruptDataException e) {
      throw new AssertionError("a frame is not what it was encoded from", e);
    }
    watcher.accept(flight);
    if (delivered != null) {
      delivered.add(frame);
    }
    port.runs().accept(() -> port.receiver().accept(frame));
  }

  /** Keeps what arrives from now on, for {@link #delivered}. */
  public MemoryNetwork recording() {
    delivered = new ArrayList<>();
    return this;
  }

  /** What has arrived since the last call. Only while it is {@link #recording}. */
  public List<Frame> delivered() {
    List<Frame> frames = Objects.requireNonNull(delivered, "not recording");
    delivered = new ArrayList<>();
    return frames;
  }

  /** How many messages were sent. */
  public long sentFrames() {
    return sentFrames;
  }

  /** How many bytes were sent. */
  public long sentBytes() {
    return sentBytes;
  }

  /** The peers that nodes asked to forget, in order. */
  public List<PeerAddress> forgotten() {
    return forgotten;
  }

  /** The messages that wait, in order. */
  public List<Frame> underWay() {
    return waiting.stream().map(flight -> flight.route.frame()).toList();
  }

  /** Delivers the message that has waited longest. */
  public void step() {
    arrive(waiting.removeFirst());
  }

  /** Delivers all that wait, and what is sent meanwhile. */
  public void run() {
    while (!waiting.isEmpty()) {
      step();
    }
  }

  /** Loses the message that has waited longest. */
  public Frame loseNext() {
    return waiting.removeFirst().route.frame();
  }

  /** Delivers a message that was not sent. */
  public void deliver(PeerAddress to, Frame frame) {
    arrive(new Flight(new Route(to, frame), FrameCodec.encode(frame)));
  }

  /** The DATA stream that carries requests from one node to another breaks. */
  public void breakStream(PeerAddress from, PeerAddress to) {
    Objects.requireNonNull(ports.get(from)).receiver().broke(to, ChannelClass.DATA);
  }
}
