package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Gossip and its verdicts while the network and the processes misbehave. More seeds than the build
 * tries by {@code -Dcolonnade.gossip.seeds=100}.
 */
class GossipFaultsTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int SEEDS = Integer.getInteger("colonnade.gossip.seeds", 2);

  @Test
  void tenMinutesWithJitterConvictNoNode() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      GossipWorld world =
          new GossipWorld(seed).delays(Duration.ofMillis(1), Duration.ofMillis(200)).with(20);
      world.until(world::allKnowAll, MINUTE);
      world.advance(Duration.ofMinutes(10));
      assertEquals(0, convictions(world), "seed " + seed);
      assertTrue(world.allKnowAll(), "seed " + seed);
    }
  }

  private static int convictions(GossipWorld world) {
    return world.nodes.stream().mapToInt(node -> node.convictions).sum();
  }

  @Test
  void aThirdOfAllMessagesLostLeavesNoLastingWrongVerdict() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      GossipWorld world =
          new GossipWorld(seed)
              .delays(Duration.ofMillis(1), Duration.ofMillis(200))
              .lossPercent(30)
              .with(12);
      world.until(world::allKnowAll, MINUTE);
      GossipNode killed = world.nodes.get(7);
      world.advance(Duration.ofMinutes(3));
      killed.kill();
      world.advance(Duration.ofSeconds(25));
      assertEquals(0, world.holdingUp(killed), "seed " + seed);
      for (int i = 0; i < 120; i++) {
        world.advance(Duration.ofSeconds(1));
        long wrong = wrongVerdicts(world);
        if (wrong > 0) {
          world.until(() -> wrongVerdicts(world) == 0, Duration.ofSeconds(10));
        }
      }
      killed.restart();
      world.until(world::allKnowAll, MINUTE);
    }
  }

  private static long wrongVerdicts(GossipWorld world) {
    return world.nodes.stream()
        .mapToLong(
            node ->
                node.running()
                    ? world.nodes.stream().filter(GossipNode::running).count()
                        - 1
                        - world.holdingUp(node)
                    : world.holdingUp(node))
        .sum();
  }

  @Test
  void aPausedNodeIsJudgedByItsSilenceAndJudgesNoOtherByIt() {
    for (int pauseSeconds : new int[] {1, 2, 4, 8, 12, 15, 22, 30}) {
      GossipWorld world = new GossipWorld(pauseSeconds).with(5);
      world.until(world::allKnowAll, MINUTE);
      world.advance(MINUTE);
      GossipNode paused = world.nodes.get(4);
      paused.scheduler.pause();
      world.advance(Duration.ofSeconds(pauseSeconds));
      long up = world.holdingUp(paused);
      if (pauseSeconds <= 8) {
        assertEquals(4, up, "paused for " + pauseSeconds + " s");
      } else if (pauseSeconds >= 15) {
        assertEquals(0, up, "paused for " + pauseSeconds + " s");
      }
      paused.scheduler.resume();
      Duration back = world.until(world::allKnowAll, MINUTE);
      assertTrue(back.toSeconds() <= 4, "paused for " + pauseSeconds + " s, back after " + back);
      world.advance(MINUTE);
      assertEquals(0, paused.convictions, "paused for " + pauseSeconds + " s");
    }
  }

  @Test
  void generationsAndVersionsNeverGoBack() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      GossipWorld world =
          new GossipWorld(seed)
              .delays(Duration.ofMillis(1), Duration.ofMillis(3_000))
              .lossPercent(20)
              .with(6);
      RandomSource random = world.random("restarts");
      Watch watch = new Watch(world);
      for (int i = 0; i < 600; i++) {
        world.advance(Duration.ofMillis(250));
        watch.look(seed);
        GossipNode node = world.nodes.get(random.nextInt(6));
        if (i > 40 && random.nextInt(40) == 0 && node.running()) {
          node.kill();
          node.restart();
          watch.forget(node);
        }
        if (node.running()) {
          node.gossiper.set(ApplicationState.LOAD, "" + i);
        }
      }
      world.delays(Duration.ofMillis(1), Duration.ofMillis(5)).lossPercent(0);
      world.until(world::allKnowAll, MINUTE);
      world.advance(Duration.ofSeconds(5));
      for (GossipNode node : world.nodes) {
        for (GossipNode other : world.nodes) {
          assertEquals(
              other.gossiper.members().self().states(), node.sees(other).states(), "seed " + seed);
        }
      }
    }
  }

  /** What each node knew of each other one at the last check. */
  private static final class Watch {

    private final GossipWorld world;
    private final long[][] generations = new long[6][6];
    private final long[][] versions = new long[6][6];
    private final long[][] loads = new long[6][6];

    Watch(GossipWorld world) {
      this.world = world;
    }

    void forget(GossipNode node) {
      generations[node.number] = new long[6];
      versions[node.number] = new long[6];
      loads[node.number] = new long[6];
    }

    void look(long seed) {
      for (GossipNode node : world.nodes) {
        for (Member member : node.gossiper.members().all()) {
          int other = numberOf(member);
          long generation = generations[node.number][other];
          long version = versions[node.number][other];
          long load = Long.parseLong(member.state(ApplicationState.LOAD).orElse("0"));
          assertTrue(member.generation() >= generation, "seed " + seed);
          if (member.generation() == generation) {
            assertTrue(member.version() >= version, "seed " + seed);
            assertTrue(load >= loads[node.number][other], "seed " + seed);
          }
          generations[node.number][other] = member.generation();
          versions[node.number][other] = member.version();
          loads[node.number][other] = load;
        }
      }
    }

    private int numberOf(Member member) {
      return world.nodes.stream()
          .filter(node -> node.id.equals(member.id()))
          .findFirst()
          .orElseThrow()
          .number;
    }
  }

  @Test
  void anIslandThatIsCutOffIsHeldDownAndFoundAgain() {
    GossipWorld world = new GossipWorld(5).with(9);
    world.until(world::allKnowAll, MINUTE);
    List<String> island = world.nodes.subList(5, 9).stream().map(node -> node.id).toList();
    world.block(
        frame ->
            !frame.toId().isEmpty()
                && island.contains(frame.from().id()) != island.contains(frame.toId()));
    world.advance(Duration.ofSeconds(20));
    for (GossipNode node : world.nodes) {
      assertEquals(island.contains(node.id) ? 3 : 4, world.holdingUp(node));
    }
    world.block(frame -> false);
    world.until(world::allKnowAll, Duration.ofSeconds(20));
  }

  @Test
  void aLinkThatWorksInOneDirectionOnlyIsGoneAround() {
    GossipWorld world = new GossipWorld(6).with(5);
    world.until(world::allKnowAll, MINUTE);
    String from = world.nodes.get(3).id;
    String to = world.nodes.get(4).id;
    world.block(frame -> frame.from().id().equals(from) && frame.toId().equals(to));
    world.advance(Duration.ofMinutes(3));
    assertEquals(0, convictions(world));
  }

  @Test
  void oneSeedGivesOneCourseOfEvents() {
    assertEquals(course(7), course(7));
    assertNotEquals(course(7), course(8));
  }

  private static long course(long seed) {
    GossipWorld world =
        new GossipWorld(seed)
            .delays(Duration.ofMillis(1), Duration.ofMillis(150))
            .lossPercent(10)
            .with(10);
    world.advance(Duration.ofSeconds(30));
    world.nodes.get(3).kill();
    world.advance(Duration.ofSeconds(30));
    world.nodes.get(3).restart();
    world.nodes.get(4).stop();
    world.advance(Duration.ofSeconds(30));
    return world.traceHash();
  }
}
