package dev.colonnade.server.sim;

import dev.colonnade.server.codec.CorruptDataException;
import dev.colonnade.server.env.RandomSource;
import dev.colonnade.server.net.Frame;
import dev.colonnade.server.net.FrameCodec;
import dev.colonnade.server.net.PeerAddress;
import dev.colonnade.server.net.Verb;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The network of a world: a link for each direction between two nodes, with its own weather and
 * randomness. Messages travel as bytes, and are lost, doubled, delayed and overtaken as the weather
 * of their link says; a link that is cut loses all, one that is clogged keeps them until it flows.
 */
public final class SimNetwork {

  /**
   * Counts since the beginning.
   *
   * @param sent messages that nodes sent
   * @param bytes of those, as they travel
   * @param delivered messages that reached a node, second copies too
   * @param lost by weather
   * @param doubled by weather
   * @param cut lost at a link that was cut
   * @param unheard nobody listened at the address
   */
  public record NetworkFigures(
      long sent, long bytes, long delivered, long lost, long doubled, long cut, long unheard) {}

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
  private long delivered;
  private long lost;
  private long doubled;
  private long cut;
  private long unheard;
  private final Map<Verb, Long> asked = new EnumMap<>(Verb.class);

  SimNetwork(World<?> world, RandomSource random) {
    this.world = world;
    this.random = random;
  }

  /** Counts since the beginning. */
  public NetworkFigures figures() {
    return new NetworkFigures(sent, bytes, delivered, lost, doubled, cut, unheard);
  }

  /** How many requests and one-way messages of a verb reached a node. */
  public long asked(Verb verb) {
    return asked.getOrDefault(verb, 0L);
  }

  /** Sets the weather from one node to another. */
  public void weather(Machine<?> from, Machine<?> to, Weather weather) {
    link(from, to).weather(weather);
  }

  /** Sets the weather everywhere. */
  public void weather(Weather weather) {
    forAll((from, to) -> link(from, to).weather(weather));
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

  /** Mends one direction, whatever was wrong with it; its weather stays. */
  public void heal(Machine<?> from, Machine<?> to) {
    Link link = link(from, to);
    link.cut(false);
    link.unclog().forEach(Runnable::run);
  }

  /** Mends all links; the weather stays. */
  public void heal() {
    forAll(this::heal);
  }

  void listens(Machine<?> machine, PeerAddress address) {
    listeners.put(address, machine);
  }

  boolean send(Machine<?> from, PeerAddress to, Frame frame) {
    byte[] message = FrameCodec.encode(frame);
    sent++;
    bytes += message.length;
    Machine<?> target = listeners.get(to);
    if (target == null) {
      unheard++;
      return true;
    }
    Link link = link(from, target);
    if (!link.take()) {
      return false;
    }
    if (link.isClogged()) {
      link.waitForFlow(() -> launch(link, from, to, frame, message));
    } else {
      launch(link, from, to, frame, message);
    }
    return true;
  }

  void forget(Machine<?> from, PeerAddress peer) {
    Machine<?> target = listeners.get(peer);
    if (target != null) {
      lost += link(from, target).forgetWaiting();
    }
  }

  private void launch(Link link, Machine<?> from, PeerAddress to, Frame frame, byte[] message) {
    if (link.loses()) {
      lost++;
      link.arrived();
      world.note(from.index(), Trace.Kind.LOSE, code(frame), frame.number(), "");
      return;
    }
    if (link.doubles() && link.take()) {
      doubled++;
      fly(link, from, to, frame, message);
    }
    fly(link, from, to, frame, message);
  }

  private void fly(Link link, Machine<?> from, PeerAddress to, Frame frame, byte[] message) {
    long arrival = link.arrival(world.nowNanos(), frame.verb().lane(), message.length);
    Machine<?> target = listeners.get(to);
    world.at(
        arrival,
        target == null ? null : target.door(),
        () -> {
          link.arrived();
          arrive(link, from, to, message);
        });
  }

  private void arrive(Link link, Machine<?> from, PeerAddress to, byte[] message) {
    Machine<?> target = listeners.get(to);
    if (link.isCut()) {
      cut++;
      return;
    }
    if (target == null || !target.isListening()) {
      unheard++;
      return;
    }
    Frame frame;
    try {
      frame = FrameCodec.decode(message);
    } catch (CorruptDataException e) {
      throw new AssertionError("a frame is not what it was encoded from", e);
    }
    delivered++;
    if (frame.kind() == Frame.Kind.REQUEST || frame.kind() == Frame.Kind.ONE_WAY) {
      asked.merge(frame.verb(), 1L, Long::sum);
    }
    world.note(
        target.index(),
        Trace.Kind.DELIVER,
        code(frame),
        checksum(message),
        from.name() + " " + frame.kind() + " " + frame.verb() + " " + frame.number());
    target.deliver(frame);
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
