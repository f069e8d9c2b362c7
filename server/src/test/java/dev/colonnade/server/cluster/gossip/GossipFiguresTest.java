package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * How many rounds and bytes gossip needs among many nodes. The build tries 60; more by
 *
 * <pre>-Dcolonnade.gossip.nodes=1000</pre>
 */
class GossipFiguresTest {

  private static final int NODES = Integer.getInteger("colonnade.gossip.nodes", 60);
  private static final long SEED = Long.getLong("colonnade.gossip.seed", 1);

  @Test
  void newsReachAllInLogarithmicallyManyRoundsAndTheDeadAreFound() {
    double log = Math.log(NODES) / Math.log(2);
    GossipFigures figures = GossipFigures.fast(NODES, SEED);
    figures.coldStart();
    figures.quiet();
    Duration news = figures.newState();
    assertTrue(news.toMillis() <= 1_000 * (2 + 1.5 * log), "" + news);
    Duration joined = figures.newNode();
    assertTrue(joined.toMillis() <= 1_000 * (5 + 2 * log), "" + joined);
    GossipFigures.Detection detection = figures.death();
    // What the first one knew of it was a few rounds old already; in a large cluster, where each
    // node tells one other in a round, the last heartbeat is still news to some for as many rounds.
    double latest = NODES <= 300 ? 15_500 : 12_500 + 1_300 * log;
    assertTrue(detection.first().toSeconds() >= 7, "" + detection);
    assertTrue(detection.all().toMillis() <= latest, "" + detection);
    assertEquals(0, figures.wrongVerdicts());
  }
}
