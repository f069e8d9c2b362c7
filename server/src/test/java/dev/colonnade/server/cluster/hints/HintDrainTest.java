package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.B;
import static dev.colonnade.server.cluster.hints.HintFixture.C;
import static dev.colonnade.server.cluster.hints.HintFixture.at;
import static dev.colonnade.server.cluster.hints.HintFixture.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A leaving node delivers its hints to the nodes that can take them. */
final class HintDrainTest {
  private final HintFixture node;
  private final List<String> told = new ArrayList<>();

  HintDrainTest() throws IOException {
    node = new HintFixture();
  }

  private CompletableFuture<Void> begin() {
    return new HintDrain(node.hints, node, node.scheduler, told::add).begin();
  }

  @Test
  void itIsNotDoneBeforeTheLastHintHasArrived() {
    node.keepAll(B, words(6));
    node.alive.add(B);
    node.holding = true;
    CompletableFuture<Void> done = begin();
    node.scheduler.advance(Duration.ofMillis(10));
    // The first message, which has half of them, arrives, and the second is on its way.
    node.held.remove(0).run();
    node.scheduler.advance(Duration.ofSeconds(5));
    assertEquals(3, node.arrived.size());
    assertFalse(done.isDone(), "three of six hints have not arrived: " + told);

    node.release();
    node.scheduler.advance(Duration.ofSeconds(2));

    assertTrue(done.isDone());
    assertEquals(at(B, words(6)), node.arrived);
  }

  @Test
  void whatIsNotYetWrittenIsWaitedForAsWell() {
    node.alive.add(B);
    var unused = node.keep(B, "one");
    CompletableFuture<Void> done = begin();
    assertFalse(done.isDone());

    node.scheduler.advance(Duration.ofSeconds(2));

    assertTrue(done.isDone());
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void whatWasKeptForANodeThatLeftIsHandedOver() {
    node.keepAll(B, "one");
    node.gone.add(B);
    CompletableFuture<Void> done = begin();
    assertFalse(done.isDone());

    node.scheduler.advance(Duration.ofSeconds(2));

    assertTrue(done.isDone());
    assertEquals(List.of("one"), node.handedOver);
  }

  @Test
  void aNodeThatIsDownIsNotWaitedForNorOneThatTakesNothing() {
    node.keepAll(C, "one");
    CompletableFuture<Void> none = begin();
    node.scheduler.runUntilIdle();
    assertTrue(none.isDone());

    node.keepAll(B, "two");
    node.alive.add(B);
    node.holding = true;
    CompletableFuture<Void> done = begin();
    node.scheduler.advance(Duration.ofSeconds(20));
    assertFalse(done.isDone());
    node.scheduler.advance(Duration.ofSeconds(20));
    assertTrue(done.isDone());
  }

  /** At a byte a second the second message of three hints goes out long after thirty turns. */
  @Test
  void theNodesOwnPaceIsNoReasonToGiveUp() {
    node.hints.bytesPerSecond(1);
    node.keepAll(B, words(6));
    node.alive.add(B);
    CompletableFuture<Void> done = begin();
    node.scheduler.advance(Duration.ofSeconds(60));
    assertFalse(done.isDone(), "gave up after " + node.arrived.size() + " hints");
    assertEquals(3, node.arrived.size(), "the others wait");

    node.scheduler.advance(Duration.ofMinutes(30));

    assertTrue(done.isDone());
    assertEquals(at(B, words(6)), node.arrived);
  }
}
