package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.RemovalBallots.RemovalVote;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.sim.FakeSignatures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member of the cluster lies about another one, and an honest one removes a dead one. */
final class PoisonedGossipTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final int NODES = 5;
  private static final long DAY_MILLIS = 24L * 60 * 60 * 1_000;

  /** What is said of a node that is well. */
  private enum Lie {
    SHUT_DOWN,
    LEFT,
    REMOVED,
    HEARTBEATS_TO_COME,
    A_LATER_START
  }

  private final GossipWorld world = new GossipWorld(20261127);

  private GossipNode node(int number) {
    return world.nodes.get(number);
  }

  private GossipNode liar() {
    return node(NODES - 1);
  }

  private void settled() {
    world.with(NODES);
    world.until(world::allKnowAll, MINUTE);
    world.advance(MINUTE);
  }

  private static VersionedValue value(ApplicationState key, long version, String text) {
    return new VersionedValue(key.number(), version, text);
  }

  private Delta lie(Lie lie, GossipNode victim) {
    Member seen = liar().sees(victim);
    long version = seen.version() + 100;
    VersionedValue address = value(ApplicationState.ADDRESS, version, victim.address.toString());
    VersionedValue status = value(ApplicationState.STATUS, version, NodeStatus.normal().text());
    long expiry = world.clock.wallMicros() / 1_000 + DAY_MILLIS;
    List<VersionedValue> states =
        switch (lie) {
          case SHUT_DOWN ->
              List.of(status, address, value(ApplicationState.SHUTDOWN, version, "true"));
          case LEFT ->
              List.of(
                  value(ApplicationState.STATUS, version, NodeStatus.left(expiry).text()), address);
          case REMOVED ->
              List.of(
                  value(ApplicationState.STATUS, version, NodeStatus.removed(expiry).text()),
                  address);
          case HEARTBEATS_TO_COME, A_LATER_START -> List.of(status, address);
        };
    long generation = seen.generation() + (lie == Lie.REMOVED || lie == Lie.A_LATER_START ? 1 : 0);
    long heartbeat = lie == Lie.HEARTBEATS_TO_COME ? Long.MAX_VALUE / 2 : version;
    return new Delta(
        Optional.of(victim.id), EndpointState.hashOf(victim.id), generation, heartbeat, 0, states);
  }

  /** Tells it to all nodes, the victim included, once a second. */
  private void tell(Lie lie, GossipNode victim) {
    GossipCodec codec = new GossipCodec("sim", "RandomPartitioner", 1 << 20);
    byte[] news = codec.news(List.of(lie(lie, victim)));
    for (int i = 0; i < 30; i++) {
      for (GossipNode to : world.nodes) {
        if (to != liar()) {
          liar().messenger.sendOneWay(new Peer(to.id, to.address), Verb.GOSSIP_ACK2, news);
        }
      }
      world.advance(ROUND);
    }
  }

  private boolean isWell(GossipNode victim) {
    return world.nodes.stream()
            .filter(node -> node != liar() && node != victim)
            .allMatch(node -> node.gossiper.members().isAlive(victim.id))
        && victim.gossiper.conflict().isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Lie.class)
  void aLieIsNotBelievedOfNodesThatSign(Lie lie) {
    world.signed(true);
    settled();
    int convicted = world.nodes.stream().mapToInt(node -> node.convictions).sum();
    tell(lie, node(1));
    assertTrue(isWell(node(1)));
    assertEquals(convicted, world.nodes.stream().mapToInt(node -> node.convictions).sum());
    assertEquals(node(1).id, node(0).sees(node(1)).state(ApplicationState.TOKENS).orElseThrow());
    assertTrue(node(0).gossiper.unbelievedNews() > 0, "it is counted");
    assertTrue(node(1).gossiper.unbelievedNews() > 0 || lie == Lie.HEARTBEATS_TO_COME);
    assertEquals(0, liar().gossiper.unbelievedNews(), "the others tell the truth");
  }

  @ParameterizedTest
  @EnumSource(Lie.class)
  void nodesThatHaveSignedAreNotBelievedWithoutWhereThatIsAccepted(Lie lie) {
    world.signed(false);
    settled();
    tell(lie, node(1));
    assertTrue(isWell(node(1)));
  }

  /** Shows that the lies are what they are meant to be. */
  @ParameterizedTest
  @EnumSource(Lie.class)
  void aLieDoesItsHarmWhereNodesHaveNoCertificates(Lie lie) {
    settled();
    int convicted = world.nodes.stream().mapToInt(node -> node.convictions).sum();
    tell(lie, node(1));
    assertTrue(
        !isWell(node(1))
            || convicted < world.nodes.stream().mapToInt(node -> node.convictions).sum()
            || !node(0)
                .sees(node(1))
                .state(ApplicationState.TOKENS)
                .equals(Optional.of(node(1).id)));
  }

  @Test
  void aNodeThatSaysItReplacedOneThatIsUpTakesNothingFromIt() {
    world.signed(true);
    settled();
    liar().gossiper.set(ApplicationState.STATUS, NodeStatus.normalInsteadOf(node(1).id).text());
    world.advance(MINUTE);
    Members seen = node(0).gossiper.members();
    assertTrue(seen.byId(liar().id).orElseThrow().status().orElseThrow().replaced(node(1).id));
    assertFalse(seen.oneNodesWordIsEnough());
    assertFalse(seen.mayBeReplaced(node(1).id));
    node(1).kill();
    world.until(() -> world.holdingUp(node(1)) == 0, MINUTE);
    assertTrue(node(0).gossiper.members().mayBeReplaced(node(1).id));
  }

  @Test
  void honestNodesStopLeaveRestartAndAreRenewedAsBefore() {
    world.signed(true);
    settled();
    node(2).stop();
    world.until(() -> world.holdingUp(node(2)) == 0, Duration.ofSeconds(5));
    node(2).restart();
    world.until(() -> world.holdingUp(node(2)) == NODES - 1, MINUTE);
    ((FakeSignatures) world.trust(node(2)).signatures().orElseThrow()).renew();
    long expiry = world.clock.wallMicros() / 1_000 + DAY_MILLIS;
    node(3).gossiper.set(ApplicationState.STATUS, NodeStatus.left(expiry).text());
    world.until(
        () ->
            List.of(node(0), node(1), node(2), node(4)).stream()
                .allMatch(
                    node -> node.sees(node(3)).status().filter(NodeStatus::departed).isPresent()),
        MINUTE);
    assertEquals(0, unbelieved());
  }

  private long unbelieved() {
    return world.nodes.stream().mapToLong(node -> node.gossiper.unbelievedNews()).sum();
  }

  private RemovalVotes votes(GossipNode dead, int votersMax) {
    long now = world.clock.wallMicros() / 1_000;
    Removal removal = node(0).gossiper.ballots().removal(dead.id, now, now + DAY_MILLIS);
    SortedMap<String, byte[]> votes = new TreeMap<>();
    for (GossipNode voter : world.nodes) {
      if (voter.running() && votes.size() < votersMax) {
        RemovalVote vote = voter.gossiper.ballots().vote(removal, node(0).id);
        vote.signature().ifPresent(signature -> votes.put(voter.id, signature));
      }
    }
    return new RemovalVotes(removal, votes);
  }

  private boolean isGoneFor(GossipNode node, GossipNode dead) {
    return node.sees(dead).status().filter(NodeStatus::departed).isPresent();
  }

  @Test
  void aRemovalSpreadsWithTheVotesOfAMajorityAndNotWithout() {
    world.signed(true);
    settled();
    GossipNode dead = node(2);
    RemovalVotes early = votes(dead, NODES);
    assertEquals(0, early.signatures().size(), "all others find it up");
    dead.kill();
    world.until(() -> world.holdingUp(dead) == 0, MINUTE);
    RemovalVotes few = votes(dead, 2);
    RemovalVotes enough = votes(dead, 3);
    Peer peer = new Peer(dead.id, dead.address);
    liar().gossiper.remove(peer, few.removal().expiryMillis(), Optional.of(few));
    world.advance(MINUTE);
    for (int i = 0; i < NODES - 1; i++) {
      assertTrue(i == 2 || !isGoneFor(node(i), dead), "node " + i);
    }
    node(0).gossiper.remove(peer, enough.removal().expiryMillis(), Optional.of(enough));
    world.until(
        () -> world.nodes.stream().filter(GossipNode::running).allMatch(n -> isGoneFor(n, dead)),
        MINUTE);
    dead.restart();
    world.until(() -> dead.gossiper.conflict().isPresent(), MINUTE);
    assertTrue(dead.gossiper.conflict().orElseThrow().removed());
    assertEquals(0, world.holdingUp(dead));
  }

  @Test
  void nodesOfTheReleaseBeforeAndThisOneKnowEachOther() {
    GossipNode old = world.add();
    world.scheduler.submit(Stage.CONTROL, old::start);
    world.signed(false).with(NODES - 1);
    world.until(world::allKnowAll, MINUTE);
    world.advance(MINUTE);
    assertTrue(world.allKnowAll());
    assertEquals(0, unbelieved());
    old.kill();
    world.until(() -> world.holdingUp(old) == 0, MINUTE);
    world.signed(false);
    old.restart();
    world.until(world::allKnowAll, MINUTE);
    assertEquals(0, unbelieved());
  }

  @Test
  void aNodeThatDoesNotSignIsUnknownWhereSignaturesAreRequired() {
    GossipNode old = world.add();
    world.scheduler.submit(Stage.CONTROL, old::start);
    world.signed(true).with(NODES - 1);
    world.advance(MINUTE);
    assertEquals(0, world.holdingUp(old));
    assertTrue(unbelieved() > 0);
  }
}
