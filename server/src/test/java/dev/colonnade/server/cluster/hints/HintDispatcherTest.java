package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.B;
import static dev.colonnade.server.cluster.hints.HintFixture.C;
import static dev.colonnade.server.cluster.hints.HintFixture.POSTS;
import static dev.colonnade.server.cluster.hints.HintFixture.at;
import static dev.colonnade.server.cluster.hints.HintFixture.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which dispatches run, which wait for their turn, and which are tried again. */
final class HintDispatcherTest {
  private HintFixture node;

  @BeforeEach
  void open() throws IOException {
    node = new HintFixture();
  }

  @AfterEach
  void noTaskThrew() {
    assertEquals(List.of(), node.scheduler.failures());
    assertEquals(List.of(), node.disk.retriedSyncs());
  }

  @Test
  void deliveryStopsWhenTheNodeDiesAndGoesOnLater() {
    node.keepAll(B, words(9));
    node.holding = true;
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.runUntilIdle();
    assertTrue(node.figures(B).delivering());
    node.dies(B);
    assertFalse(node.figures(B).delivering());
    assertEquals("the node is down", node.figures(B).lastFailure());
    node.held.clear();
    node.holding = false;
    node.scheduler.advance(Duration.ofHours(1));
    assertEquals(List.of(), node.arrived);
    node.comesBack(B);
    assertEquals(at(B, words(9)), node.arrived);
  }

  @Test
  void aScanDeliversWithoutASignalThatTheNodeIsBack() {
    node.keepAll(B, "one");
    node.alive.add(B);
    node.scheduler.advance(Duration.ofMinutes(14));
    assertEquals(List.of(), node.arrived);
    node.scheduler.advance(Duration.ofMinutes(1));
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void aFailedDeliveryIsTriedAgain() {
    node.keepAll(B, words(4));
    node.answer = new PeerFailure(PeerFailure.Code.UNKNOWN_FAMILY, "not known here");
    node.comesBack(B);
    assertEquals("not known here", node.figures(B).lastFailure());
    assertEquals(4, node.figures(B).hints());
    node.answer = null;
    node.scheduler.advance(Duration.ofSeconds(11));
    assertEquals(at(B, words(4)), node.arrived);
  }

  @Test
  void hintsThatANodeWhichIsUpNeverTakesAreACondition() {
    node.keepAll(B, words(4));
    node.answer = new PeerFailure(PeerFailure.Code.UNKNOWN_FAMILY, "not known here");
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(Health.Report.SOUND, node.health.report(), "once may be bad luck");
    node.scheduler.advance(Duration.ofSeconds(30));
    Health.Problem problem = node.health.report().problems().get(0);
    assertEquals(Condition.HINTS, problem.condition());
    assertEquals(B, problem.subject());
    assertEquals(Impact.NOTICE, problem.impact());

    node.dies(B);
    node.scheduler.advance(Duration.ofHours(1));
    assertEquals(Health.Report.SOUND, node.health.report(), "a node that is down is no problem");
    node.comesBack(B);
    node.scheduler.advance(Duration.ofSeconds(31));
    assertEquals(1, node.health.report().problems().size());
    node.answer = null;
    node.scheduler.advance(Duration.ofSeconds(11));
    assertEquals(at(B, words(4)), node.arrived);
    assertEquals(Health.Report.SOUND, node.health.report());
  }

  /** The next node's turn does not wait until the first one is tried again. */
  @Test
  void aReceiverThatFailsInTheMiddleGetsTheRestLaterAndOnce() {
    node.keepAll(B, words(7));
    node.keepAll(C, "other");
    node.answer = new PeerFailure(PeerFailure.Code.OVERLOADED, "its disk is behind");
    node.failing = B::equals;
    node.acceptedFirst = 1;
    node.alive.add(B);
    node.alive.add(C);
    node.hints.alive(B);
    node.hints.alive(C);
    node.scheduler.advance(Duration.ofSeconds(1));
    List<String> before = new ArrayList<>(at(B, "word0", "word1", "word2"));
    before.addAll(at(C, "other"));
    assertEquals(before, node.arrived);
    assertTrue(
        node.figures(B).lastFailure().contains("its disk is behind"), node.figures(B)::toString);
    assertEquals(4, node.figures(B).hints());

    // Hints that come meanwhile stand behind those that wait.
    node.keepAll(B, "later");
    node.answer = null;
    node.scheduler.advance(Duration.ofSeconds(10));
    before.addAll(at(B, "word3", "word4", "word5", "word6", "later"));
    assertEquals(before, node.arrived);
    assertEquals(9, node.hints.totals().delivered());
  }

  @Test
  void oneDeliveryRunsAtATimeWhenTheSettingsSaySo() {
    node.keepAll(B, "one");
    node.keepAll(C, "two");
    node.holding = true;
    node.alive.add(B);
    node.alive.add(C);
    node.hints.alive(B);
    node.hints.alive(B);
    node.hints.alive(C);
    node.scheduler.runUntilIdle();
    assertEquals(1, node.held.size());
    node.release();
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(List.of(B + " one", C + " two"), node.arrived);
  }

  @Test
  void scansComeAsOftenAsTheyAreSet() throws IOException {
    node =
        new HintFixture(
            new SimFileSystem(), HintFixture.SMALL.withRedeliveryInterval(Duration.ofSeconds(1)));
    node.keepAll(B, "one");
    node.alive.add(B);
    node.scheduler.advance(Duration.ofMillis(900));
    assertEquals(List.of(), node.arrived);
    node.scheduler.advance(Duration.ofMillis(200));
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void theTimeBetweenScansChangesWhileTheNodeRuns() throws IOException {
    node =
        new HintFixture(
            new SimFileSystem(), HintFixture.SMALL.withRedeliveryInterval(Duration.ofHours(1)));
    node.keepAll(B, "one");
    node.alive.add(B);
    node.hints.redeliveryInterval(Duration.ofSeconds(1));
    node.scheduler.advance(Duration.ofMillis(900));
    assertEquals(List.of(), node.arrived);
    node.scheduler.advance(Duration.ofMillis(200));
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void hintsKeptDuringADeliveryArriveWithIt() {
    node.keepAll(B, "one");
    node.holding = true;
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.runUntilIdle();
    node.keepAll(B, "two");
    node.release();
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(at(B, "one", "two"), node.arrived);
  }

  @Test
  void aPauseHoldsDeliveriesBack() {
    node.keepAll(B, "one");
    node.hints.pause();
    node.comesBack(B);
    assertEquals(List.of(), node.arrived);
    node.hints.resume();
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void hintsOfANodeThatStaysAwayGoWhenTheyAreTooOld() throws IOException {
    node.families.put(POSTS, 3_600L);
    for (String word : words(60)) {
      node.keepAll(B, word);
    }
    node.scheduler.advance(Duration.ofMinutes(50));
    node.keepAll(B, "young");
    assertEquals(61, node.figures(B).hints());
    node.scheduler.advance(Duration.ofMinutes(26));
    assertTrue(node.figures(B).hints() < 40, "" + node.figures(B));
    assertFalse(node.figures(B).delivering());
    node.comesBack(B);
    assertEquals(at(B, "young"), node.arrived);
    assertEquals(60, node.hints.totals().droppedOld());
    assertEquals(List.of(), node.disk.list("hints"));
  }
}
