package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.ring.RingNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GossiperTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final GossipWorld world = new GossipWorld(1);

  private GossipNode node(int number) {
    return world.nodes.get(number);
  }

  private void settled(int count) {
    world.with(count);
    world.until(world::allKnowAll, MINUTE);
  }

  @Test
  void threeNodesKnowEachOtherWithinSeconds() {
    world.with(3);
    Duration needed = world.until(world::allKnowAll, MINUTE);
    assertTrue(needed.toSeconds() <= 5, "" + needed);
    Member member = node(0).sees(node(2));
    assertEquals(node(2).address, member.peer().address());
    assertEquals("dc0", member.state(ApplicationState.DATACENTER).orElseThrow());
    assertEquals(NodeStatus.StatusKind.NORMAL, member.status().orElseThrow().kind());
  }

  @Test
  void aNodeWithAWrongClockFindsItAndTheOthersDoNotBlameThemselves() {
    world.lossPercent(20);
    settled(3);
    node(1).ahead = Duration.ofMinutes(-5);
    world.advance(MINUTE);
    assertClock(node(0), Duration.ZERO);
    assertClock(node(1), Duration.ofMinutes(-5));
    assertClock(node(2), Duration.ZERO);
    node(1).ahead = Duration.ZERO;
    world.advance(MINUTE);
    assertClock(node(1), Duration.ZERO);
  }

  @Test
  void ofTwoNodesEachMayBeWrongAndANodeAloneIsNot() {
    settled(2);
    node(0).ahead = Duration.ofSeconds(7);
    world.advance(MINUTE);
    assertClock(node(0), Duration.ofSeconds(7));
    assertClock(node(1), Duration.ofSeconds(-7));
    node(0).kill();
    world.advance(MINUTE);
    assertEquals(0, node(1).gossiper.clockAheadMicros());
  }

  /** Messages take 1 to 5 ms each way. */
  private static void assertClock(GossipNode node, Duration ahead) {
    long found = node.gossiper.clockAheadMicros();
    assertTrue(Math.abs(found - ahead.toNanos() / 1_000) <= 5_000, "" + found);
  }

  @Test
  void aNodeStartsWithAFreshGenerationEvenWithinASecond() {
    long first = Gossiper.nextGeneration(0, world.clock);
    assertEquals(first + 1, Gossiper.nextGeneration(first, world.clock));
  }

  @Test
  void aStartAfterTheClockWasMendedBeginsAgainWithAGenerationThatOthersBelieve() {
    long now = Gossiper.nextGeneration(0, world.clock);
    long aMonthAhead = now + 30L * 24 * 60 * 60;
    assertEquals(aMonthAhead + 1, Gossiper.nextGeneration(aMonthAhead, world.clock));
    long tenYearsAhead = now + 10L * 365 * 24 * 60 * 60;
    assertEquals(now, Gossiper.nextGeneration(tenYearsAhead, world.clock));
  }

  @Test
  void aNodeWhoseClockWasWrongComesBackUnderItsId() {
    settled(3);
    world.advance(MINUTE);
    long tenYearsAhead = node(2).generation + 10L * 365 * 24 * 60 * 60;
    node(2).kill();
    world.until(() -> world.holdingUp(node(2)) == 0, MINUTE);
    node(2).startAgain(node(2).address, tenYearsAhead);
    world.advance(MINUTE);
    assertEquals(0, world.holdingUp(node(2)));
    node(2).kill();
    node(2).startAgain(node(2).address, Gossiper.nextGeneration(tenYearsAhead, world.clock));
    world.until(() -> world.holdingUp(node(2)) == 2, MINUTE);
  }

  @Test
  void aKilledNodeIsDownForTheOthersWithinTenToFifteenSeconds() {
    settled(3);
    world.advance(MINUTE);
    node(2).kill();
    Duration first = world.until(() -> world.holdingUp(node(2)) < 2, MINUTE);
    Duration all = first.plus(world.until(() -> world.holdingUp(node(2)) == 0, MINUTE));
    assertTrue(first.toMillis() >= 10_000, "" + first);
    assertTrue(all.toMillis() <= 15_000, "" + all);
    assertTrue(node(0).sees(node(2)).phi() > 5);
    assertTrue(node(0).sees(node(1)).phi() < 2);
  }

  @Test
  void aNodeThatStopsIsDownAtOnce() {
    settled(3);
    node(2).stop();
    world.advance(Duration.ofMillis(100));
    assertEquals(0, world.holdingUp(node(2)));
    assertTrue(node(0).sees(node(2)).shutDown());
    assertEquals(NodeStatus.StatusKind.NORMAL, node(0).sees(node(2)).status().orElseThrow().kind());
  }

  @Test
  void whoMissedTheGoodbyeHearsOfItFromOthers() {
    settled(3);
    world.block(frame -> frame.from().id().equals(node(2).id) && frame.toId().equals(node(1).id));
    node(2).stop();
    world.until(() -> world.holdingUp(node(2)) == 0, Duration.ofSeconds(5));
  }

  @Test
  void aRestartedNodeIsBackSoonAndSaysSo() {
    settled(3);
    node(2).kill();
    world.until(() -> world.holdingUp(node(2)) == 0, MINUTE);
    node(2).restart();
    Duration back = world.until(() -> world.holdingUp(node(2)) == 2, MINUTE);
    assertTrue(back.toSeconds() <= 5, "" + back);
    List<String> seen = node(0).happened;
    assertTrue(seen.contains("restarted " + node(2).id), "" + seen);
    assertEquals("alive " + node(2).id, seen.get(seen.size() - 1));
  }

  @Test
  void aNodeThatWasDownBeforeIsNotTakenToBeUp() {
    settled(4);
    node(3).kill();
    world.until(() -> world.holdingUp(node(3)) == 0, MINUTE);
    world.advance(Duration.ofSeconds(5));
    node(2).kill();
    node(2).restart();
    world.until(() -> node(2).gossiper.members().byId(node(3).id).isPresent(), MINUTE);
    for (int i = 0; i < 30; i++) {
      world.advance(Duration.ofMillis(500));
      assertFalse(node(2).sees(node(3)).alive());
    }
  }

  @Test
  void aNodeThatComesBackElsewhereIsFoundThere() {
    settled(3);
    node(2).kill();
    PeerAddress elsewhere = new PeerAddress("10.9.9.9", 7000);
    node(2).startAgain(elsewhere, node(2).generation + 10);
    world.until(
        () ->
            world.holdingUp(node(2)) == 2
                && node(0).sees(node(2)).peer().address().equals(elsewhere)
                && node(1).sees(node(2)).peer().address().equals(elsewhere),
        MINUTE);
  }

  @Test
  void anotherNodeAtAnAddressDoesNotInheritTheOldOnesName() {
    settled(3);
    PeerAddress address = node(2).address;
    node(2).kill();
    GossipNode stranger = world.add();
    stranger.startAgain(address, stranger.generation);
    world.until(() -> world.holdingUp(stranger) == 2, MINUTE);
    world.until(() -> world.holdingUp(node(2)) == 0, MINUTE);
    assertEquals(address, node(0).sees(stranger).peer().address());
    assertTrue(node(0).sees(stranger).alive());
  }

  @Test
  void anotherClusterIsRefusedOnBothSides() {
    settled(3);
    GossipNode stranger = world.add();
    stranger.clusterName = "other";
    stranger.startAgain(stranger.address, stranger.generation);
    world.advance(Duration.ofSeconds(10));
    assertEquals(1, stranger.gossiper.members().all().size());
    assertEquals(3, node(0).gossiper.members().all().size());
    assertTrue(
        stranger.happened.stream().anyMatch(line -> line.contains("belongs to cluster 'sim'")));
    assertTrue(
        world.nodes.stream()
            .flatMap(node -> node.happened.stream())
            .anyMatch(line -> line.contains("belongs to cluster 'other'")));
    assertTrue(stranger.happened.size() <= GossipWorld.SEEDS, "" + stranger.happened);
  }

  @Test
  void aGenerationFarInTheFutureIsRefused() {
    settled(3);
    GossipNode late = world.add();
    long tooFar = world.clock.wallSeconds() + 366L * 24 * 3600;
    late.startAgain(late.address, tooFar);
    world.advance(Duration.ofSeconds(10));
    assertTrue(node(0).gossiper.members().byId(late.id).isEmpty());
    late.kill();
    late.startAgain(late.address, tooFar - 10L * 24 * 3600);
    world.until(() -> world.holdingUp(late) == 3, MINUTE);
  }

  @Test
  void theOlderOfTwoProcessesWithOneIdHearsOfIt() {
    settled(3);
    Gossiper older = node(2).gossiper;
    node(2).startAgain(new PeerAddress("10.9.9.9", 7000), node(2).generation + 5);
    world.until(() -> older.conflict().isPresent(), MINUTE);
    HostIdConflict conflict = older.conflict().orElseThrow();
    assertFalse(conflict.removed());
    assertEquals("10.9.9.9:7000", conflict.address());
    assertTrue(node(2).happened.stream().anyMatch(line -> line.startsWith("conflict another")));
  }

  @Test
  void twoProcessesOfOneIdAndGenerationHearOfIt() {
    settled(3);
    Gossiper first = node(2).gossiper;
    node(2).startAgain(new PeerAddress("10.9.9.9", 7000), node(2).generation);
    Gossiper second = node(2).gossiper;
    world.until(() -> first.conflict().isPresent() || second.conflict().isPresent(), MINUTE);
  }

  @Test
  void aNodeThatLeftIsRememberedForAWhileAndThenForgotten() {
    settled(4);
    long expiry = world.clock.wallMicros() / 1_000 + 30_000;
    node(3).gossiper.set(ApplicationState.STATUS, NodeStatus.left(expiry).text());
    world.advance(Duration.ofSeconds(5));
    node(3).kill();
    assertEquals(0, world.holdingUp(node(3)));
    assertTrue(node(0).happened.contains("departed " + node(3).id));
    world.until(() -> noNodeKnows(node(3)), MINUTE);
    assertTrue(node(0).happened.contains("removed " + node(3).id));
    for (int i = 0; i < 120; i++) {
      world.advance(Duration.ofSeconds(1));
      assertTrue(noNodeKnows(node(3)));
    }
  }

  private boolean noNodeKnows(GossipNode gone) {
    return world.nodes.stream()
        .filter(GossipNode::running)
        .allMatch(node -> node.gossiper.members().byId(gone.id).isEmpty());
  }

  @Test
  void aRemovedNodeThatComesBackIsToldAndStaysOut() {
    settled(4);
    node(3).kill();
    world.until(() -> world.holdingUp(node(3)) == 0, MINUTE);
    long expiry = world.clock.wallMicros() / 1_000 + 600_000;
    node(0).gossiper.remove(node(3).id, expiry);
    world.advance(Duration.ofSeconds(5));
    node(3).startAgain(node(3).address, node(3).generation + 1_000);
    world.until(() -> node(3).gossiper.conflict().isPresent(), MINUTE);
    assertTrue(node(3).gossiper.conflict().orElseThrow().removed());
    world.advance(Duration.ofSeconds(20));
    assertEquals(0, world.holdingUp(node(3)));
    assertEquals(
        NodeStatus.StatusKind.REMOVED, node(1).sees(node(3)).status().orElseThrow().kind());
  }

  @Test
  void onlyANodeThatIsDownCanBeRemoved() {
    settled(3);
    assertThrows(
        IllegalStateException.class, () -> node(0).gossiper.remove(node(1).id, Long.MAX_VALUE));
    node(0).gossiper.remove("nobody", Long.MAX_VALUE);
  }

  @Test
  void aRemovalIsNotTakenOfANodeThatTheReceiverFindsUp() {
    settled(5);
    world.advance(MINUTE);
    GossipNode insider = node(4);
    GossipNode victim = node(1);
    for (int i = 0; i < 30; i++) {
      insider.sendNews(node(0), removal(victim));
      world.advance(Duration.ofSeconds(1));
    }
    assertTrue(node(0).sees(victim).alive());
    assertTrue(node(0).sees(victim).status().filter(NodeStatus::departed).isEmpty());
    assertTrue(victim.gossiper.conflict().isEmpty(), "no other node passed it on");
    victim.kill();
    world.until(() -> world.holdingUp(victim) == 0, MINUTE);
    insider.sendNews(node(0), removal(victim));
    world.until(
        () -> node(2).sees(victim).status().filter(NodeStatus::departed).isPresent(), MINUTE);
  }

  /** The removal of that node in the next generation, as a node with a certificate can make it. */
  private Delta removal(GossipNode victim) {
    long version = world.clock.wallMicros() / 1_000 + 600_000;
    return new Delta(
        Optional.of(victim.id),
        EndpointState.hashOf(victim.id),
        node(4).sees(victim).generation() + 1,
        version,
        0,
        List.of(
            new VersionedValue(
                ApplicationState.STATUS.number(), version, NodeStatus.removed(version).text()),
            new VersionedValue(
                ApplicationState.ADDRESS.number(), version, victim.address.toString())));
  }

  @Test
  void clustersThatCouldNotSeeEachOtherFindTogetherAgain() {
    world.block(frame -> side(frame.from().address()) != side(address(frame.toId())));
    world.with(8);
    world.advance(MINUTE);
    world.block(frame -> false);
    world.until(world::allKnowAll, MINUTE);
  }

  private static int side(PeerAddress address) {
    return address.host().hashCode() & 1;
  }

  private PeerAddress address(String id) {
    return world.nodes.stream()
        .filter(node -> node.id.equals(id))
        .map(node -> node.address)
        .findFirst()
        .orElse(node(0).address);
  }

  @Test
  void whatIsSaidTogetherIsHeardTogether() {
    settled(5);
    node(4)
        .gossiper
        .set(Map.of(ApplicationState.STATUS, "joining", ApplicationState.TOKENS, "00ff"));
    world.until(
        () -> {
          for (GossipNode node : world.nodes) {
            Member member = node.sees(node(4));
            assertEquals(
                member.state(ApplicationState.STATUS).orElseThrow().equals("joining"),
                member.state(ApplicationState.TOKENS).orElseThrow().equals("00ff"));
          }
          return world.nodes.stream()
              .allMatch(
                  node -> node.sees(node(4)).state(ApplicationState.TOKENS).get().equals("00ff"));
        },
        MINUTE);
  }

  @Test
  void theTopologyFollowsWhatNodesSay() {
    settled(3);
    LiveTopology topology =
        LiveTopology.of(
            node(0).gossiper,
            TopologyBuilderTest.node(node(0).id),
            EndpointSnitch.announced(),
            List.of());
    assertEquals(3, topology.current().ring().nodes().size());
    assertEquals(node(0).id, topology.current().self().id());
    assertEquals("dc1", topology.current().place(node(1).id).orElseThrow().node().datacenter());
    node(2).gossiper.set(ApplicationState.STATUS, NodeStatus.leaving().text());
    world.until(() -> topology.current().future().nodes().size() == 2, MINUTE);
    node(1).kill();
    world.until(() -> !topology.current().isAlive(node(1).id), MINUTE);
    assertTrue(topology.current().isAlive(node(2).id));
  }

  @Test
  void aNodeThatLeftAndIsForgottenDoesNotComeBackFromMemory() {
    settled(4);
    RingNode remembered = TopologyBuilderTest.node(node(3).id);
    LiveTopology topology =
        LiveTopology.of(
            node(0).gossiper,
            TopologyBuilderTest.node(node(0).id),
            EndpointSnitch.announced(),
            List.of(remembered));
    assertEquals(4, topology.current().ring().nodes().size());
    long expiry = world.clock.wallMicros() / 1_000 + 60_000;
    node(3).gossiper.set(ApplicationState.STATUS, NodeStatus.left(expiry).text());
    world.until(() -> topology.current().ring().nodes().size() == 3, MINUTE);
    node(3).stop();

    world.until(() -> node(0).gossiper.members().byId(node(3).id).isEmpty(), Duration.ofMinutes(5));
    world.advance(Duration.ofSeconds(10));

    assertEquals(3, topology.current().ring().nodes().size(), "it is on the ring again");
  }
}
