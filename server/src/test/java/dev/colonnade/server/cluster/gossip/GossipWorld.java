package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.MemoryNetwork;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Nodes that only gossip, over a network in memory that delays and loses frames, on virtual time.
 * Frames are encoded on their way.
 */
final class GossipWorld {

  /** Seeds of every cluster here: the first nodes. */
  static final int SEEDS = 3;

  private static final long FNV_PRIME = 0x100000001b3L;

  final SimClock clock = new SimClock();
  final SimScheduler scheduler = new SimScheduler(clock);
  final List<GossipNode> nodes = new ArrayList<>();
  final MemoryNetwork network = MemoryNetwork.timed(scheduler, Stage.CONTROL);

  private final RandomSource random;
  private Duration minDelay = Duration.ofMillis(1);
  private Duration maxDelay = Duration.ofMillis(5);
  private int lossPercent;
  private Predicate<Frame> blocked = frame -> false;
  private long trace = 0xcbf29ce484222325L;

  GossipWorld(long seed) {
    this.random = new SeededRandom(seed);
    network.conditions(this::arrivals);
    network.watch((to, bytes) -> trace(to.hashCode(), Hash128.of(bytes).high()));
  }

  GossipWorld delays(Duration min, Duration max) {
    minDelay = min;
    maxDelay = max;
    return this;
  }

  GossipWorld lossPercent(int percent) {
    lossPercent = percent;
    return this;
  }

  /** Frames that never arrive. */
  void block(Predicate<Frame> frames) {
    blocked = frames;
  }

  RandomSource random(String component) {
    return random.fork(component);
  }

  /** Nodes that begin within a second of each other. */
  GossipWorld with(int count) {
    RandomSource starts = random.fork("starts");
    for (int i = 0; i < count; i++) {
      GossipNode node = add();
      scheduler.after(Duration.ofMillis(starts.nextInt(1_000)), Stage.CONTROL, node::start);
    }
    return this;
  }

  /** A node that is not started yet. */
  GossipNode add() {
    int number = nodes.size();
    byte[] id = new byte[16];
    random.fork("id" + number).nextBytes(id);
    GossipNode node = new GossipNode(this, number, HexFormat.of().formatHex(id), addressOf(number));
    nodes.add(node);
    return node;
  }

  static PeerAddress addressOf(int number) {
    return new PeerAddress("10.0." + number / 250 + "." + (1 + number % 250), 7000);
  }

  static List<PeerAddress> seeds() {
    List<PeerAddress> seeds = new ArrayList<>();
    for (int i = 0; i < SEEDS; i++) {
      seeds.add(addressOf(i));
    }
    return seeds;
  }

  /** A process begins to listen at its address; the one that did before is gone. */
  Transport transport(GossipNode node) {
    NodeScheduler runs = node.scheduler;
    return network.at(node.address, runs::run);
  }

  private List<Duration> arrivals(MemoryNetwork.Route route) {
    if (random.nextInt(100) < lossPercent || blocked.test(route.frame())) {
      return List.of();
    }
    long span = maxDelay.minus(minDelay).toMillis();
    return List.of(minDelay.plusMillis(span == 0 ? 0 : random.nextInt((int) span + 1)));
  }

  void trace(long what, long more) {
    trace = ((trace ^ clock.monotonicNanos()) * FNV_PRIME ^ what) * FNV_PRIME ^ more;
  }

  long traceHash() {
    return trace;
  }

  void advance(Duration duration) {
    scheduler.advance(duration);
    if (!scheduler.failures().isEmpty()) {
      throw new AssertionError(random + ": a task threw", scheduler.failures().get(0));
    }
  }

  /** How long it takes until a condition holds, checked ten times a second. */
  Duration until(BooleanSupplier condition, Duration limit) {
    long start = clock.monotonicNanos();
    while (!condition.getAsBoolean()) {
      if (clock.monotonicNanos() - start > limit.toNanos()) {
        throw new AssertionError(random + ": not so within " + limit);
      }
      advance(Duration.ofMillis(100));
    }
    return Duration.ofNanos(clock.monotonicNanos() - start);
  }

  boolean allKnowAll() {
    return nodes.stream()
        .allMatch(
            node ->
                node.running()
                    && node.gossiper.members().all().size() == nodes.size()
                    && node.gossiper.members().all().stream().allMatch(Member::alive));
  }

  /** How many of the running nodes consider another one up. */
  long holdingUp(GossipNode other) {
    return nodes.stream()
        .filter(node -> node != other && node.running())
        .filter(node -> node.gossiper.members().isAlive(other.id))
        .count();
  }
}
