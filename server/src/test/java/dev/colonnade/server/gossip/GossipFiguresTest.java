package dev.colonnade.server.gossip;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * How many rounds and bytes gossip needs among many nodes. The build tries 60; more by
 *
 * <pre>-Dcolonnade.gossip.nodes=1000</pre>
 */
class GossipFiguresTest {

  private static final int NODES = Integer.getInteger("colonnade.gossip.nodes", 60);
  private static final long SEED = Long.getLong("colonnade.gossip.seed", 1);
  private static final Duration MINUTES = Duration.ofMinutes(3);

  private static void row(String what, String figure) {
    System.out.println(String.format(Locale.ROOT, "%-52s %s", what, figure));
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
  }

  private static String kilobytes(double bytes) {
    return String.format(Locale.ROOT, "%.1f kB", bytes / 1_000);
  }

  @Test
  void newsReachAllInLogarithmicallyManyRoundsAndTheDeadAreFound() {
    GossipWorld world = new GossipWorld(SEED);
    System.out.println("gossip among " + NODES + " nodes, seed " + SEED);
    world.with(NODES);
    world.nodes.forEach(node -> node.quiet = true);
    double log = Math.log(NODES) / Math.log(2);

    Duration start = world.until(world::allKnowAll, MINUTES);
    row("all started at once: all know all and hold them up", seconds(start));
    row("  bytes sent by each node until then", kilobytes((double) world.bytes / NODES));

    world.advance(Duration.ofSeconds(5));
    long bytes = world.bytes;
    long frames = world.frames;
    long cpu = System.nanoTime();
    int quietSeconds = 10;
    world.advance(Duration.ofSeconds(quietSeconds));
    double nodeRounds = (double) NODES * quietSeconds;
    row("quiet: bytes sent by a node in a round", kilobytes((world.bytes - bytes) / nodeRounds));
    row("  messages", String.format(Locale.ROOT, "%.1f", (world.frames - frames) / nodeRounds));
    row(
        "  CPU with encoding and the simulated network",
        String.format(Locale.ROOT, "%.2f ms", (System.nanoTime() - cpu) / nodeRounds / 1e6));

    GossipNode speaker = world.nodes.get(NODES / 2);
    speaker.gossiper.set(ApplicationState.LOAD, "4711");
    Duration news = world.until(() -> allHeard(world, speaker), MINUTES);
    row("a new state: all have heard it", seconds(news));
    assertTrue(news.toMillis() <= 1_000 * (2 + 1.5 * log), "" + news);

    GossipNode late = world.add();
    late.quiet = true;
    late.start();
    Duration joined = world.until(() -> world.holdingUp(late) == NODES, MINUTES);
    row("a new node: all hold it up", seconds(joined));
    assertTrue(joined.toMillis() <= 1_000 * (5 + 2 * log), "" + joined);
    world.until(world::allKnowAll, MINUTES);

    GossipNode killed = world.nodes.get(NODES / 3);
    killed.kill();
    Duration first = world.until(() -> world.holdingUp(killed) < NODES, MINUTES);
    Duration half = first.plus(world.until(() -> world.holdingUp(killed) < NODES / 2, MINUTES));
    Duration all = half.plus(world.until(() -> world.holdingUp(killed) == 0, MINUTES));
    row("a killed node: the first holds it down", seconds(first));
    row("  half of them", seconds(half));
    row("  all of them", seconds(all));
    // What the first one knew of it was a few rounds old already; in a large cluster, where each
    // node tells one other in a round, the last heartbeat is still news to some for as many rounds.
    double latest = NODES <= 300 ? 15_500 : 12_500 + 1_300 * log;
    assertTrue(first.toSeconds() >= 7 && all.toMillis() <= latest, first + ", " + all);

    int convictions = world.nodes.stream().mapToInt(node -> node.convictions).sum();
    row("wrong verdicts", "" + (convictions - NODES));
    row("trace", Long.toHexString(world.traceHash()));
    assertTrue(convictions == NODES, "" + convictions);
  }

  private static boolean allHeard(GossipWorld world, GossipNode speaker) {
    return world.nodes.stream()
        .allMatch(
            node ->
                node.sees(speaker)
                    .state(ApplicationState.LOAD)
                    .equals(speaker.gossiper.members().self().state(ApplicationState.LOAD)));
  }
}
