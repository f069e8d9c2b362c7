package dev.colonnade.server.service.schemasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.sim.SimClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Which second steps of truncations a node takes. */
final class TruncationProposalsTest {

  private static final FamilyId FAMILY = new FamilyId(1, 2);

  private final SimClock clock = new SimClock();
  private final TruncationProposals proposals = new TruncationProposals(clock);
  private final long number = clock.wallMicros();

  private void assertRefused(String nodeId, FamilyId family, long given) {
    PeerFailure refused =
        assertThrows(PeerFailure.class, () -> proposals.check(nodeId, family, given));
    assertEquals(PeerFailure.Code.REFUSED, refused.code());
  }

  private long in(Duration time) {
    return clock.monotonicNanos() + time.toNanos();
  }

  @Test
  void theNodeTheFamilyAndTheNumberMustFit() {
    proposals.proposed("a", FAMILY, number, in(Duration.ofSeconds(10)));
    proposals.check("a", FAMILY, number);
    proposals.check("a", FAMILY, number + 1_000_000);
    assertRefused("b", FAMILY, number);
    assertRefused("a", new FamilyId(1, 3), number);
    assertRefused("a", FAMILY, number - 1);
    assertRefused("a", FAMILY, number + 2 * TruncationProposals.AHEAD_MAX.toNanos() / 1_000);
  }

  @Test
  void aNumberThatThisNodeNamedIsTakenHoweverFarAheadItIs() {
    proposals.proposed("a", FAMILY, Long.MAX_VALUE, in(Duration.ofSeconds(10)));
    proposals.check("a", FAMILY, Long.MAX_VALUE);
  }

  @Test
  void whoNoLongerWaitsIsNotObeyed() {
    proposals.proposed("a", FAMILY, number, in(Duration.ofSeconds(10)));
    proposals.proposed("b", FAMILY, number, Long.MAX_VALUE);
    clock.advance(Duration.ofSeconds(11));
    assertRefused("a", FAMILY, number);
    proposals.check("b", FAMILY, number);
    clock.advance(TruncationProposals.LIFE_MAX);
    assertRefused("b", FAMILY, number);
  }

  @Test
  void twoTruncationsOfOneNodeAtOnceAreBothMade() {
    proposals.proposed("a", FAMILY, number, in(Duration.ofSeconds(10)));
    proposals.proposed("a", FAMILY, number + 5, in(Duration.ofSeconds(5)));
    clock.advance(Duration.ofSeconds(7));
    proposals.check("a", FAMILY, number);
    proposals.check("a", FAMILY, number + 5);
  }

  @Test
  void thereAreBoundsAndRoomAgainLater() {
    for (int i = 0; i < TruncationProposals.KEPT_MAX; i++) {
      proposals.proposed("a", new FamilyId(2, i), number, in(Duration.ofSeconds(10)));
    }
    PeerFailure full =
        assertThrows(
            PeerFailure.class,
            () -> proposals.proposed("b", FAMILY, number, in(Duration.ofSeconds(10))));
    assertEquals(PeerFailure.Code.OVERLOADED, full.code());
    proposals.proposed("a", new FamilyId(2, 0), number, in(Duration.ofSeconds(10)));
    clock.advance(Duration.ofSeconds(11));
    proposals.proposed("b", FAMILY, number, in(Duration.ofSeconds(10)));
    proposals.check("b", FAMILY, number);
  }
}
