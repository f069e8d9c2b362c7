package dev.colonnade.server.cluster.gossip;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/**
 * Measures how many rounds and bytes gossip needs among many nodes, how soon they find a dead one,
 * and whether they suspect living ones. Prints the figures. Used by tests, and by {@code
 * integration-tests/simulate --gossip}.
 */
public final class GossipFigures {

  /** The interval of all nodes here. */
  private static final long ROUND_MILLIS = 1_000;

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int QUIET_SECONDS = 10;
  private static final Duration JITTER = Duration.ofMillis(200);
  private static final Duration JITTERY = Duration.ofMinutes(10);

  /** After which times the first and all of the other nodes consider a killed node down. */
  record Detection(Duration first, Duration all) {}

  private final int nodes;
  private final GossipWorld world;
  private int right;

  private GossipFigures(GossipWorld world, int nodes) {
    this.nodes = nodes;
    this.world = world;
    world.with(nodes);
    world.nodes.forEach(node -> node.quiet = true);
  }

  /** Nodes on a fast network. */
  static GossipFigures fast(int nodes, long seed) {
    System.out.println("gossip among " + nodes + " nodes, one round a second, seed " + seed);
    return new GossipFigures(new GossipWorld(seed), nodes);
  }

  /** Nodes whose messages take up to 200 ms. */
  private static GossipFigures jittery(int nodes, long seed) {
    return new GossipFigures(
        new GossipWorld(seed).delays(Duration.ofMillis(1), Duration.ofMillis(1).plus(JITTER)),
        nodes);
  }

  /**
   * Measures all of it.
   *
   * @return false if a living node was considered down
   */
  public static boolean print(int nodes, long seed) {
    GossipFigures fast = fast(nodes, seed);
    fast.coldStart();
    fast.quiet();
    fast.newState();
    fast.newNode();
    fast.death();
    int wrong = fast.wrongVerdicts();
    GossipFigures jittery = jittery(nodes, seed);
    jittery.coldStartUnseen();
    jittery.world.advance(JITTERY);
    int accused = jittery.wrongVerdicts();
    row(
        "200 ms of jitter, " + JITTERY.toMinutes() + " minutes: false convictions",
        Integer.toString(accused));
    return wrong == 0 && accused == 0;
  }

  /** All are started within a second of each other: until all know all, and consider them up. */
  Duration coldStart() {
    return spread("cold start: all hold all up", world::allKnowAll);
  }

  private void coldStartUnseen() {
    world.until(world::allKnowAll, LIMIT);
  }

  /** What gossip costs when there is no news. */
  void quiet() {
    world.advance(Duration.ofSeconds(5));
    long bytes = world.network.sentBytes();
    long frames = world.network.sentFrames();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long cpu = threads.getCurrentThreadCpuTime();
    world.advance(Duration.ofSeconds(QUIET_SECONDS));
    double nodeRounds = (double) nodes * QUIET_SECONDS;
    row(
        "no news",
        String.format(
            Locale.ROOT,
            "%14s, %.1f messages, %.2f ms of CPU with the simulation",
            rate((world.network.sentBytes() - bytes) / nodeRounds),
            (world.network.sentFrames() - frames) / nodeRounds,
            (threads.getCurrentThreadCpuTime() - cpu) / nodeRounds / 1e6));
  }

  /** One node announces something new: until all have heard it. */
  Duration newState() {
    GossipNode speaker = world.nodes.get(nodes / 2);
    speaker.gossiper.set(ApplicationState.LOAD, "4711");
    return spread("a changed state: all have heard it", () -> allHeard(speaker));
  }

  private boolean allHeard(GossipNode speaker) {
    return world.nodes.stream()
        .allMatch(
            node ->
                node.sees(speaker)
                    .state(ApplicationState.LOAD)
                    .equals(speaker.gossiper.members().self().state(ApplicationState.LOAD)));
  }

  /** A further node starts: until all consider it up; it stays. */
  Duration newNode() {
    GossipNode late = world.add();
    late.quiet = true;
    late.start();
    Duration taken = spread("a new node: all hold it up", () -> world.holdingUp(late) == nodes);
    coldStartUnseen();
    return taken;
  }

  /** A node is killed. */
  Detection death() {
    GossipNode killed = world.nodes.get(nodes / 3);
    killed.kill();
    int others = world.nodes.size() - 1;
    Duration first = world.until(() -> world.holdingUp(killed) < others, LIMIT);
    Duration half = first.plus(world.until(() -> world.holdingUp(killed) < others / 2, LIMIT));
    Duration all = half.plus(world.until(() -> world.holdingUp(killed) == 0, LIMIT));
    right += others;
    row(
        "a killed node: one, half, all hold it down",
        String.format(Locale.ROOT, "%s, %s, %s", seconds(first), seconds(half), seconds(all)));
    return new Detection(first, all);
  }

  /** How often a node was considered down that was up. */
  int wrongVerdicts() {
    return world.nodes.stream().mapToInt(node -> node.convictions).sum() - right;
  }

  private Duration spread(String what, BooleanSupplier condition) {
    long before = world.network.sentBytes();
    Duration taken = world.until(condition, LIMIT);
    double seconds = Math.max(100, taken.toMillis()) / 1_000.0;
    row(
        what,
        String.format(
            Locale.ROOT,
            "%6.1f rounds  %s",
            (double) taken.toMillis() / ROUND_MILLIS,
            rate((world.network.sentBytes() - before) / seconds / nodes)));
    return taken;
  }

  private static void row(String what, String figure) {
    System.out.println(String.format(Locale.ROOT, "  %-50s %s", what, figure));
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
  }

  private static String rate(double bytes) {
    return String.format(Locale.ROOT, "%.1f kB/s", bytes / 1_000);
  }
}
