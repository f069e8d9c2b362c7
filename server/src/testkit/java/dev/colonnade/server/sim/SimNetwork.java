package dev.colonnade.server.sim;

import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The network of a world: a link for each direction between two nodes, with its own faults and
 * randomness. Messages travel as bytes, and are lost, doubled, delayed and overtaken as the faults
 * of their link says; a link that is cut loses all, one that is clogged keeps them until it flows.
 * Where a machine is there, but no node runs on it, connections are refused, and who sent a message
 * gets it back.
 */
public final class SimNetwork {

  /**
   * Counts since the beginning.
   *
   * @param sent messages that nodes sent
   * @param bytes of those, as they travel
   * @param delivered messages that reached a node, second copies too
   * @param lost by a fault
   * @param doubled by a fault
   * @param cut lost at a link that was cut
   * @param unheard no node listened at the address
   * @param refused of those, given back to their sender
   */
  public record NetworkFigures(
      long sent,
      long bytes,
      long delivered,
      long lost,
      long doubled,
      long cut,
      long unheard,
      long refused) {}

  /** A message on its way. */
  private static final class Flight {
    private final Link link;
    private final Machine<?> target;
    private final NodeProcess sender;
    private final Frame frame;
    private final byte[] message;

    /** Whether a node ran at its end when it was sent, or a second copy of it was. */
    private boolean lostIfUnheard;

    Flight(Link link, Machine<?> target, NodeProcess sender, Frame frame, byte[] message) {
      this.link = link;
      this.target = target;
      this.sender = sender;
      this.frame = frame;
      this.message = message;
      this.lostIfUnheard = !target.refuses();
    }
  }

  private record Ends(int from, int to) implements Comparable<Ends> {
    @Override
    public int compareTo(Ends other) {
      return from != other.from ? Integer.compare(from, other.from) : Integer.compare(to, other.to);
    }
  }

  private final World<?> world;
  private final RandomSource random;
  private final Map<PeerAddress, Machine<?>> listeners = new TreeMap<>();
  private final Map<Ends, Link> links = new TreeMap<>();
  private long sent;
  private long bytes;
  private long traced;
  private long delivered;
  private long lost;
  private long doubled;
  private long cut;
  private long unheard;
  private long refused;
  private final Map<Verb, Long> asked = new EnumMap<>(Verb.class);

  SimNetwork(World<?> world, RandomSource random) {
    this.world = world;
    this.random = random;
  }

  /** Counts since the beginning. */
  public NetworkFigures figures() {
    return new NetworkFigures(sent, bytes, delivered, lost, doubled, cut, unheard, refused);
  }

  /** How many messages that carry a trace were sent. */
  public long traced() {
    return traced;
  }

  /** How many requests and one-way messages of a verb reached a node. */
  public long asked(Verb verb) {
    return asked.getOrDefault(verb, 0L);
  }

  /** Sets the faults of the link from one node to another. */
  public void faults(Machine<?> from, Machine<?> to, LinkFaults faults) {
    link(from, to).faults(faults);
  }

  /** Sets the faults of all links. */
  public void faults(LinkFaults faults) {
    forAll((from, to) -> link(from, to).faults(faults));
  }

  /** Loses all messages from one node to another, those on their way too. */
  public void cut(Machine<?> from, Machine<?> to) {
    link(from, to).cut(true);
  }

  /** Cuts the links between nodes of different groups, both ways. */
  public void partition(Collection<? extends Collection<? extends Machine<?>>> groups) {
    for (Collection<? extends Machine<?>> group : groups) {
      for (Collection<? extends Machine<?>> other : groups) {
        if (group != other) {
          group.forEach(from -> other.forEach(to -> cut(from, to)));
        }
      }
    }
  }

  /** Keeps all messages from one node to another, until {@link #heal}. */
  public void clog(Machine<?> from, Machine<?> to) {
    link(from, to).clog();
  }

  /** Mends one direction, whatever was wrong with it; its other faults stay. */
  public void heal(Machine<?> from, Machine<?> to) {
    Link link = link(from, to);
    link.cut(false);
    link.unclog().forEach(Runnable::run);
  }

  /** Mends all links; their other faults stay. */
  public void heal() {
    forAll(this::heal);
  }

  void listens(Machine<?> machine, PeerAddress address) {
    listeners.put(address, machine);
  }

  boolean send(NodeProcess sender, PeerAddress to, Frame frame) {
    byte[] message = FrameCodec.encode(frame);
    sent++;
    bytes += message.length;
    traced += frame.trace().length > 0 ? 1 : 0;
    Machine<?> target = listeners.get(to);
    if (target == null) {
      unheard++;
      return true;
    }
    Link link = link(sender.machine(), target);
    if (!link.take()) {
      return false;
    }
    Flight flight = new Flight(link, target, sender, frame, message);
    if (link.isClogged()) {
      link.waitForFlow(() -> launch(flight));
    } else {
      launch(flight);
    }
    return true;
  }

  void forget(Machine<?> from, PeerAddress peer) {
    Machine<?> target = listeners.get(peer);
    if (target != null) {
      lost += link(from, target).forgetWaiting();
    }
  }

  private void launch(Flight flight) {
    Link link = flight.link;
    if (link.loses()) {
      lost++;
      link.arrived();
      Frame frame = flight.frame;
      int from = flight.sender.machine().index();
      world.note(from, Trace.Kind.LOSE, code(frame), frame.number(), "");
    } else if (link.doubles() && link.take()) {
      doubled++;
      flight.lostIfUnheard = true;
      fly(flight);
      fly(flight);
    } else {
      fly(flight);
    }
  }

  private void fly(Flight flight) {
    ChannelClass channel = flight.frame.verb().channelClass();
    long arrival = flight.link.arrival(world.nowNanos(), channel, flight.message.length);
    world.at(
        arrival,
        flight.target.intake(),
        () -> {
          flight.link.arrived();
          arrive(flight);
        });
  }

  private void arrive(Flight flight) {
    Machine<?> target = flight.target;
    if (flight.link.isCut()) {
      cut++;
      return;
    }
    if (!target.isListening()) {
      unheard++;
      if (!flight.lostIfUnheard && target.refuses()) {
        refuse(flight);
      }
      return;
    }
    Frame frame;
    try {
      frame = FrameCodec.decode(flight.message);
    } catch (CorruptDataException e) {
      throw new AssertionError("a frame is not what it was encoded from", e);
    }
    delivered++;
    if (frame.kind() == Frame.FrameKind.REQUEST || frame.kind() == Frame.FrameKind.ONE_WAY) {
      asked.merge(frame.verb(), 1L, Long::sum);
    }
    String from = flight.sender.machine().name();
    world.note(
        target.index(),
        Trace.Kind.DELIVER,
        code(frame),
        checksum(flight.message),
        from + " " + frame.kind() + " " + frame.verb() + " " + frame.number());
    target.deliver(frame);
  }

  /**
   * The system of a machine on which no node runs says so. A connection is made for the message
   * then, so that a node which dies while the message is on its way is not said to refuse it.
   */
  private void refuse(Flight flight) {
    Machine<?> from = flight.sender.machine();
    Link back = link(flight.target, from);
    if (back.isClogged() || back.loses()) {
      return;
    }
    Frame frame = flight.frame;
    world.at(
        back.arrival(world.nowNanos(), frame.verb().channelClass(), 0),
        from.intake(),
        () -> {
          if (!back.isCut() && from.giveBack(flight.sender, frame)) {
            refused++;
            world.note(from.index(), Trace.Kind.REFUSE, code(frame), frame.number(), "");
          }
        });
  }

  private static long code(Frame frame) {
    return frame.kind().number() * 256L + frame.verb().number();
  }

  private static long checksum(byte[] message) {
    CRC32C checksum = new CRC32C();
    checksum.update(message);
    return checksum.getValue();
  }

  private Link link(Machine<?> from, Machine<?> to) {
    return links.computeIfAbsent(
        new Ends(from.index(), to.index()),
        ends -> new Link(random.fork(ends.from() + ">" + ends.to())));
  }

  private void forAll(LinkAction action) {
    for (Machine<?> from : world.machines()) {
      for (Machine<?> to : world.machines()) {
        if (from != to) {
          action.on(from, to);
        }
      }
    }
  }

  /** What is done to one direction. */
  private interface LinkAction {
    void on(Machine<?> from, Machine<?> to);
  }
}
