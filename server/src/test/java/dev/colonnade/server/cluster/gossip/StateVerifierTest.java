package dev.colonnade.server.cluster.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.gossip.Belief.BeliefKind;
import dev.colonnade.server.sim.FakeSignatures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a node believes of others when they have to prove it. */
final class StateVerifierTest {

  private static final String CLUSTER = "ours";
  private static final String SELF = "me";
  private static final String SUBJECT = "x";
  private static final long DECIDED_MILLIS = 1_000_000;
  private static final long EXPIRY_MILLIS = 9_000_000;

  private final FakeSignatures own = FakeSignatures.ofNode(SELF);
  private final Map<String, FakeSignatures> keys = new HashMap<>(Map.of(SELF, own));
  private final SortedMap<String, EndpointState> known = new TreeMap<>();
  private final Set<String> up = new HashSet<>();
  private final StateVerifier required =
      new StateVerifier(own, true, CLUSTER, SELF, known.values(), up::contains);
  private final StateVerifier accepted =
      new StateVerifier(own, false, CLUSTER, SELF, known.values(), up::contains);

  private final StateSealer sealer = new StateSealer(key(SUBJECT), CLUSTER);
  private final EndpointState first = sealer.seal(normal(SUBJECT, 7));

  StateVerifierTest() {
    for (String id : List.of(SELF, "a", "b", "c")) {
      known.put(id, new StateSealer(key(id), CLUSTER).seal(normal(id, 3)));
    }
  }

  private FakeSignatures key(String id) {
    return keys.computeIfAbsent(id, FakeSignatures::ofNode);
  }

  private static EndpointState normal(String id, long generation) {
    return EndpointState.of(
        id,
        generation,
        1,
        List.of(
            value(ApplicationState.STATUS, 1, "normal"),
            value(ApplicationState.TOKENS, 1, "10"),
            value(ApplicationState.TOKENS_SINCE, 1, "5")));
  }

  private static VersionedValue value(ApplicationState key, long version, String text) {
    return new VersionedValue(key.number(), version, text);
  }

  private static EndpointState with(EndpointState state, VersionedValue changed) {
    List<VersionedValue> states = new ArrayList<>(state.states());
    states.removeIf(value -> value.key() == changed.key());
    states.add(changed);
    return EndpointState.of(state.id(), state.generation(), state.heartbeat(), states);
  }

  private static void assertRefused(String reason, Belief belief) {
    assertEquals(BeliefKind.REFUSED, belief.kind(), belief.reason());
    assertTrue(belief.reason().contains(reason), belief.reason());
  }

  @Test
  void aRelayIsBelievedWhatTheNodeSigned() {
    assertEquals(Belief.BELIEVED, required.of(null, first, "a"));
    EndpointState later = sealer.seal(first.beat().beat());
    assertEquals(Belief.BELIEVED, required.of(first, later, "b"));
    assertEquals(Belief.BELIEVED, required.of(null, later, "b"), "also by who missed the first");
    EndpointState moved =
        sealer.seal(
            later.beat().merged(0, List.of(value(ApplicationState.TOKENS, later.version(), "20"))));
    assertEquals(Belief.BELIEVED, required.of(later, moved, "b"));
  }

  @Test
  void aSignatureIsCheckedOnceAndAHeartbeatCostsNone() {
    assertEquals(Belief.BELIEVED, required.of(null, first, "a"));
    int checks = own.checks();
    EndpointState before = first;
    for (int i = 0; i < HeartbeatChain.LENGTH - 1; i++) {
      EndpointState next = sealer.seal(before.beat());
      assertEquals(Belief.BELIEVED, required.of(before, next, "a"));
      before = next;
    }
    assertEquals(checks, own.checks());
    EndpointState again = before;
    for (int i = 0; i < 3; i++) {
      again = sealer.seal(again.beat());
    }
    assertEquals(Belief.BELIEVED, required.of(before, again, "a"), "a new chain is signed");
    assertEquals(checks + 1, own.checks());
  }

  @Test
  void aRenewedCertificateIsBelieved() {
    key(SUBJECT).renew();
    EndpointState renewed = sealer.seal(first.beat());
    assertEquals("x#1", renewed.state(ApplicationState.CERTIFICATE).orElseThrow());
    assertEquals(Belief.BELIEVED, required.of(first, renewed, "a"));
  }

  @Test
  void nothingOfAStateCanBeChanged() {
    long version = first.version();
    for (EndpointState told :
        List.of(
            with(first, value(ApplicationState.STATUS, 1, "left:5")),
            with(first, value(ApplicationState.STATUS, 2, "normal")),
            with(first, value(ApplicationState.SHUTDOWN, 1, "true")),
            with(first, value(ApplicationState.ADDRESS, 1, "10.9.9.9:7000")),
            with(first, new VersionedValue(99, 1, "of a later release")),
            EndpointState.of(
                SUBJECT,
                7,
                version,
                first.states().stream()
                    .filter(each -> each.key() != ApplicationState.TOKENS.number())
                    .toList()),
            EndpointState.of(SUBJECT, 8, version, first.states()))) {
      assertRefused("signature is not of what is told", required.of(null, told, "a"));
      assertRefused("signature is not of what is told", required.of(first, told, "a"));
    }
    EndpointState other = EndpointState.of("y", 7, version, first.states());
    assertRefused("the certificate of another node", required.of(null, other, "a"));
  }

  @Test
  void anotherNodesSignatureProvesNothing() {
    EndpointState forged = new StateSealer(key("a"), CLUSTER).seal(normal(SUBJECT, 9));
    assertRefused("the certificate of another node", required.of(first, forged, "a"));
    EndpointState elsewhere = new StateSealer(key(SUBJECT), "theirs").seal(normal(SUBJECT, 9));
    assertRefused("signature is not of what is told", required.of(first, elsewhere, "a"));
  }

  @Test
  void onlyTheNodeRaisesItsHeartbeat() {
    EndpointState second = sealer.seal(first.beat());
    String link = second.state(ApplicationState.HEARTBEAT_PROOF).orElseThrow();
    long third = second.heartbeat() + 1;
    for (VersionedValue proof :
        List.of(
            value(ApplicationState.HEARTBEAT_PROOF, third, link),
            value(ApplicationState.HEARTBEAT_PROOF, second.heartbeat(), link),
            value(ApplicationState.HEARTBEAT_PROOF, third, "not base 64!"),
            value(ApplicationState.HEARTBEAT_PROOF, third, ""))) {
      EndpointState told = with(EndpointState.of(SUBJECT, 7, third, second.states()), proof);
      assertRefused("heartbeat", required.of(second, told, "a"));
      assertRefused("heartbeat", required.of(null, told, "a"));
    }
    EndpointState never =
        with(
            EndpointState.of(SUBJECT, 7, Long.MAX_VALUE, second.states()),
            value(ApplicationState.HEARTBEAT_PROOF, Long.MAX_VALUE, link));
    assertRefused("heartbeat", required.of(second, never, "a"));
  }

  /** A relay that keeps a change to itself cannot show the heartbeats after it. */
  @Test
  void oldStatesWithNewHeartbeatsAreRefused() {
    EndpointState changed =
        sealer.seal(
            first
                .beat()
                .merged(0, List.of(value(ApplicationState.LOAD, first.version() + 1, "8"))));
    EndpointState later = sealer.seal(changed.beat());
    EndpointState mixed =
        with(
            EndpointState.of(SUBJECT, 7, later.heartbeat(), first.states()),
            value(
                ApplicationState.HEARTBEAT_PROOF,
                later.heartbeat(),
                later.state(ApplicationState.HEARTBEAT_PROOF).orElseThrow()));
    assertRefused("heartbeat", required.of(first, mixed, "a"));
    assertRefused("heartbeat", required.of(null, mixed, "a"));
  }

  @Test
  void anUnsignedStateIsBelievedWhereThatIsAccepted() {
    EndpointState plain = normal(SUBJECT, 9);
    assertRefused("not signed", required.of(null, plain, "a"));
    assertRefused("not signed", required.of(null, plain, SUBJECT));
    assertEquals(Belief.BELIEVED, accepted.of(null, plain, "a"));
    assertEquals(Belief.BELIEVED, accepted.of(normal(SUBJECT, 8), plain, "a"));
    assertRefused("has signed before", accepted.of(first, plain, "a"));
    assertEquals(Belief.BELIEVED, accepted.of(first, plain, SUBJECT), "a node that went back");
    EndpointState damaged = with(first, value(ApplicationState.SIGNATURE, first.version(), "x"));
    assertRefused("cannot be read", accepted.of(null, damaged, SUBJECT));
  }

  private EndpointState removed(long generation, String... voters) {
    Removal removal = new Removal(SUBJECT, generation, DECIDED_MILLIS, EXPIRY_MILLIS);
    SortedMap<String, byte[]> votes = new TreeMap<>();
    for (String voter : voters) {
      votes.put(voter, key(voter).identity().sign(SignedContent.of(CLUSTER, removal)));
    }
    return normal(SUBJECT, generation)
        .removed(EXPIRY_MILLIS, Optional.of(new RemovalVotes(removal, votes)));
  }

  @Test
  void aRemovalIsBelievedFromAMajority() {
    assertEquals(Belief.BELIEVED, required.of(first, removed(7, "a", "b", "c"), "a"));
    assertEquals(Belief.BELIEVED, required.of(null, removed(7, SELF, "b", "c"), "a"));
    assertRefused("too few", required.of(first, removed(7, "a", "b"), "a"));
    assertRefused("too few", required.of(first, removed(7), "a"));
    assertRefused(
        "does not say which nodes",
        required.of(first, first.removed(EXPIRY_MILLIS, Optional.empty()), "a"));
    assertRefused(
        "does not say which nodes",
        accepted.of(first, first.removed(EXPIRY_MILLIS, Optional.empty()), "a"));
  }

  @Test
  void votesOfOthersDoNotCount() {
    known.put("gone", new StateSealer(key("gone"), CLUSTER).seal(normal("gone", 3)));
    known.put(
        "gone", Objects.requireNonNull(known.get("gone")).removed(EXPIRY_MILLIS, Optional.empty()));
    assertRefused("too few", required.of(first, removed(7, "a", "b", "stranger"), "a"));
    assertRefused("too few", required.of(first, removed(7, "a", "b", SUBJECT), "a"));
    assertRefused("too few", required.of(first, removed(7, "a", "b", "gone"), "a"));
    // One member signs for three.
    Removal removal = new Removal(SUBJECT, 7, DECIDED_MILLIS, EXPIRY_MILLIS);
    byte[] signature = key("a").identity().sign(SignedContent.of(CLUSTER, removal));
    EndpointState forged =
        first.removed(
            EXPIRY_MILLIS,
            Optional.of(
                new RemovalVotes(
                    removal,
                    new TreeMap<>(Map.of("a", signature, "b", signature, "c", signature)))));
    assertRefused("too few", required.of(first, forged, "a"));
  }

  @Test
  void aVoteCountsOnceAndForItsRemovalAlone() {
    EndpointState told = removed(7, "a", "b");
    String votes = told.state(ApplicationState.REMOVAL_VOTES).orElseThrow();
    String twice = votes + " " + votes.substring(votes.lastIndexOf(' ') + 1);
    EndpointState doubled = with(told, value(ApplicationState.REMOVAL_VOTES, EXPIRY_MILLIS, twice));
    assertRefused("not the one that other nodes agreed to", required.of(first, doubled, "a"));
    EndpointState another =
        with(
            removed(7, "a", "b", "c"),
            value(ApplicationState.STATUS, EXPIRY_MILLIS, "removed:" + (EXPIRY_MILLIS + 1)));
    assertRefused("not the one that other nodes agreed to", required.of(first, another, "a"));
    EndpointState restarted = sealer.seal(normal(SUBJECT, 8));
    assertRefused("started again", required.of(restarted, removed(7, "a", "b", "c"), "a"));
  }

  @Test
  void nodesThatJoinedLaterWereNotAsked() {
    for (String id : List.of("d", "e", "f")) {
      EndpointState later =
          with(
              normal(id, 3),
              value(ApplicationState.TOKENS_SINCE, 1, "" + (DECIDED_MILLIS * 1_000 + 1)));
      known.put(id, new StateSealer(key(id), CLUSTER).seal(later));
    }
    assertEquals(Belief.BELIEVED, required.of(first, removed(7, "a", "b", "c"), "a"));
    assertRefused("too few", required.of(first, removed(7, "a", "b"), "a"));
  }

  @Test
  void noNodeThatIsUpIsRemoved() {
    up.add(SUBJECT);
    assertEquals(BeliefKind.NOT_YET, required.of(first, removed(7, "a", "b", "c"), "a").kind());
  }

  /** Votes are lost when all are restarted; then each tells what it knows. */
  @Test
  void aRemovalThatAMajorityTellsIsBelievedWithoutVotes() {
    EndpointState told = first.removed(EXPIRY_MILLIS, Optional.empty());
    assertRefused("does not say", required.of(first, told, "a"));
    assertRefused("does not say", required.of(first, told, "a"));
    assertRefused("does not say", required.of(first, told, "b"));
    assertRefused("does not say", required.of(first, told, "stranger"));
    assertEquals(Belief.BELIEVED, required.of(first, told, "c"));
  }

  /** As after a restart, when others remember more than this node has heard. */
  @Test
  void ofANodeThatIsNotKnownAnUnprovedRemovalIsNoNewsUntilAMajorityTellsIt() {
    EndpointState told = first.removed(EXPIRY_MILLIS, Optional.empty());
    assertEquals(BeliefKind.NOT_YET, required.of(null, told, "a").kind());
    assertEquals(BeliefKind.NOT_YET, required.of(null, told, "b").kind());
    assertEquals(Belief.BELIEVED, required.of(null, told, "c"));
  }

  @Test
  void whereTooFewNodesSignOneNodesWordIsEnoughIfThatIsAccepted() {
    for (String id : List.of("a", "b", "c")) {
      known.put(id, normal(id, 3));
    }
    EndpointState told = first.removed(EXPIRY_MILLIS, Optional.empty());
    assertEquals(Belief.BELIEVED, accepted.of(first, told, "a"));
    assertRefused("does not say which nodes", required.of(first, told, "a"));
    up.add(SUBJECT);
    assertEquals(BeliefKind.NOT_YET, accepted.of(first, told, "a").kind());
  }
}
