package dev.colonnade.server.cluster.hints;

import static dev.colonnade.server.cluster.hints.HintFixture.B;
import static dev.colonnade.server.cluster.hints.HintFixture.C;
import static dev.colonnade.server.cluster.hints.HintFixture.POSTS;
import static dev.colonnade.server.cluster.hints.HintFixture.TAGS;
import static dev.colonnade.server.cluster.hints.HintFixture.at;
import static dev.colonnade.server.cluster.hints.HintFixture.words;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.mutation.Mutation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hints arrive once their node is back, in order; those that must not arrive are dropped. */
final class HintsTest {
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
  void hintsArriveInOrderWhenTheirNodeReturns() {
    node.keepAll(B, words(50));
    assertEquals(50, node.figures(B).hints());
    assertTrue(node.figures(B).bytes() > 50 * 20, "" + node.figures(B));
    node.comesBack(B);
    assertEquals(at(B, words(50)), node.arrived);
    assertTrue(node.messageSizes.stream().allMatch(size -> size <= 3), "" + node.messageSizes);
    assertEquals(50, node.hints.totals().delivered());
  }

  @Test
  void nothingIsLeftOnDiskAfterDelivery() throws IOException {
    node.keepAll(B, words(50));
    node.comesBack(B);
    assertEquals(List.of(), node.hints.figures());
    assertEquals(List.of(), node.disk.list("hints"));
    assertEquals(List.of(), node.disk.crashClone().list("hints"));
    assertEquals(List.of(), node.disk.openFiles());
  }

  @Test
  void eachNodeGetsItsOwn() {
    node.keepAll(B, "one", "two");
    node.keepAll(C, "three");
    node.comesBack(C);
    assertEquals(at(C, "three"), node.arrived);
    node.comesBack(B);
    assertEquals(List.of(C + " three", B + " one", B + " two"), node.arrived);
  }

  @Test
  void aHintThatBacksAnAcknowledgementIsDurableWhenItIsKept() throws IOException {
    CompletableFuture<Void> kept = node.keepSynced(B, "one");
    node.scheduler.runUntilIdle();
    assertTrue(kept.isDone() && !kept.isCompletedExceptionally());
    HintFixture next = node.restartOn(node.disk.crashClone());
    next.comesBack(B);
    assertEquals(at(B, "one"), next.arrived);
  }

  @Test
  void otherHintsAreDurableAfterTheSyncPeriod() throws IOException {
    node.keepAll(B, "one");
    assertEquals(0, node.restartOn(node.disk.crashClone()).figures(B).hints());
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(1, node.restartOn(node.disk.crashClone()).figures(B).hints());
  }

  @Test
  void hintsSurviveTheEndOfTheProcess() throws IOException {
    node.keepAll(B, words(50));
    node.disk.kill();
    HintFixture next = node.restartOn(node.disk);
    assertEquals(50, next.figures(B).hints());
    next.keepAll(B, "later");
    next.comesBack(B);
    assertEquals(51, next.arrived.size());
    assertEquals(at(B, words(50)), next.arrived.subList(0, 50));
  }

  @Test
  void aStopLeavesAllDurableAndTheNextRunKnowsWhereDeliveryEnded() throws IOException {
    node.keepAll(B, words(20));
    node.holding = true;
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.runUntilIdle();
    node.held.remove(0).run();
    node.scheduler.advance(Duration.ofMillis(10));
    CompletableFuture<Void> stopped = node.hints.stop();
    node.scheduler.runUntilIdle();
    assertTrue(stopped.isDone());
    assertEquals(3, node.arrived.size());
    HintFixture next = node.restartOn(node.disk.crashClone());
    assertEquals(17, next.figures(B).hints());
    next.comesBack(B);
    assertEquals(at(B, words(20)).subList(3, 20), next.arrived);
  }

  @Test
  void afterAStopNothingIsKept() {
    var unused = node.hints.stop();
    node.scheduler.runUntilIdle();
    assertRefused(node.keep(B, "one"), "stopping");
  }

  @Test
  void aHintThatIsRefusedForGoodDoesNotHoldUpTheOthers() {
    node.keepAll(B, words(7));
    node.unwanted = "word4";
    node.comesBack(B);
    assertEquals(at(B, "word0", "word1", "word2", "word3", "word5", "word6"), node.arrived);
    assertEquals(1, node.hints.totals().droppedRefused());
  }

  @Test
  void aRefusedHintDoesNotMakeTheRestGoOneByOne() {
    node.keepAll(B, words(40));
    node.unwanted = "word4";
    node.comesBack(B);
    assertEquals(39, node.arrived.size());
    assertEquals(1, node.hints.totals().droppedRefused());
    // 39 hints, of which three fit into a message: at most four more than were needed.
    assertTrue(node.messageSizes.size() <= 17, () -> "messages of " + node.messageSizes);
    assertEquals(3, node.messageSizes.get(node.messageSizes.size() - 2));
  }

  @Test
  void thePaceIsKept() throws IOException {
    HintSettings slow =
        new HintSettings(
            1 << 20,
            1 << 20,
            1 << 20,
            1 << 20,
            0,
            Duration.ofSeconds(1),
            Duration.ofHours(3),
            128,
            256,
            100,
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(15),
            4);
    node = new HintFixture(new SimFileSystem(), slow);
    node.keepAll(B, words(100));
    int bytes = 100 * HintFixture.encoded(node.word("word50", POSTS)).length;
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.advance(Duration.ofSeconds(bytes / 100 / 2));
    assertTrue(node.arrived.size() > 40 && node.arrived.size() < 60, "" + node.arrived.size());
    node.scheduler.advance(Duration.ofSeconds(bytes / 100 / 2 + 5));
    assertEquals(100, node.arrived.size());
  }

  @Test
  void thePaceChangesWhileHintsAreDelivered() throws IOException {
    node = new HintFixture(new SimFileSystem(), HintFixture.SMALL.withBytesPerSecond(20));
    node.keepAll(B, words(40));
    node.alive.add(B);
    node.hints.alive(B);
    node.scheduler.advance(Duration.ofSeconds(10));
    int slow = node.arrived.size();
    assertTrue(slow < 20, "" + slow);
    node.hints.bytesPerSecond(0);
    // The message that waits for its turn by the old pace comes first.
    node.scheduler.advance(Duration.ofSeconds(20));
    assertEquals(40, node.arrived.size());
  }

  @Test
  void aHintAsOldAsTheGcGraceIsDropped() {
    node.families.put(POSTS, 3_600L);
    node.keepAll(B, "old");
    node.scheduler.advance(Duration.ofMinutes(59));
    node.keepAll(B, "young");
    node.scheduler.advance(Duration.ofMinutes(1));
    node.comesBack(B);
    assertEquals(at(B, "young"), node.arrived);
    assertEquals(1, node.hints.totals().droppedOld());
  }

  @Test
  void aWriteThatWasOldWhenItWasKeptCountsByItsOwnTime() {
    long hourAgo = node.clock.wallSeconds() - 3_600;
    node.families.put(POSTS, 3_600L);
    var unused = node.hints.keep(B, HintFixture.word("old", hourAgo, POSTS), false);
    node.scheduler.runUntilIdle();
    node.comesBack(B);
    assertEquals(List.of(), node.arrived);
    assertEquals(1, node.hints.totals().droppedOld());
  }

  @Test
  void partsOfAFamilyThatIsGoneAreDropped() {
    var unused = node.hints.keep(B, node.word("both", POSTS, TAGS), false);
    var unused2 = node.hints.keep(B, node.word("tags", TAGS), false);
    node.scheduler.runUntilIdle();
    node.families.remove(TAGS);
    node.comesBack(B);
    assertEquals(at(B, "both"), node.arrived);
    assertEquals(2, node.hints.totals().droppedGone());
  }

  @Test
  void whatWasWrittenBeforeATruncationIsDroppedWheneverItWasKept() throws IOException {
    node.keepAll(B, "before");
    Mutation late = node.word("late", POSTS);
    node.truncations.put(POSTS, 5L);
    var unused = node.hints.keep(B, late, true);
    unused = node.keepSynced(B, "after");
    node.scheduler.runUntilIdle();
    HintFixture next = node.restartOn(node.disk.crashClone());
    next.comesBack(B);
    assertEquals(at(B, "after"), next.arrived);
    assertEquals(2, next.hints.totals().droppedTruncated());
    next.keepAll(B, "later");
    next.comesBack(B);
    assertEquals(at(B, "after", "later"), next.arrived);
  }

  @Test
  void ofAWriteToSeveralFamiliesTheTruncatedOneIsDropped() {
    node.truncations.put(TAGS, 4L);
    var unused = node.hints.keep(B, node.word("both", POSTS, TAGS), true);
    node.truncations.put(POSTS, 5L);
    node.comesBack(B);
    assertEquals(at(B, "both"), node.arrived);
    assertEquals(1, node.hints.totals().droppedTruncated());
  }

  @Test
  void hintsOfANodeThatLeftGoToTheOwnersOfTheRows() {
    node.keepAll(B, "one", "two");
    node.gone.add(B);
    node.hints.removed(B);
    node.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(List.of("one", "two"), node.handedOver);
    assertEquals(List.of(), node.arrived);
    assertEquals(List.of(), node.hints.figures());
    assertEquals(2, node.hints.totals().handedOver());
  }

  @Test
  void hintsOfRowsThatMovedGoToTheirOwners() {
    node.keepAll(B, "one", "two", "three");
    node.movedKeys.add("two");
    node.comesBack(B);
    assertEquals(at(B, "one", "three"), node.arrived);
    assertEquals(List.of("two"), node.handedOver);
  }

  @Test
  void ofAWriteToSeveralFamiliesEachPartGoesToItsOwners() {
    var unused = node.hints.keep(B, node.word("both", POSTS, TAGS), false);
    node.scheduler.runUntilIdle();
    node.movedFamilies.add(TAGS);
    node.comesBack(B);
    assertEquals(at(B, "both"), node.arrived);
    assertEquals(List.of("both"), node.handedOver);
    assertEquals(List.of(TAGS), node.handedFamilies);
  }

  @Test
  void whatWaitsIsCountedWhereverADeliveryEnds() throws IOException {
    for (int accepted = 0; accepted < 20; accepted++) {
      node = new HintFixture();
      node.keepAll(B, words(60));
      node.answer = new PeerFailure(PeerFailure.Code.OVERLOADED, "its disk is behind");
      node.acceptedFirst = accepted;
      node.alive.add(B);
      node.hints.alive(B);
      node.scheduler.advance(Duration.ofSeconds(1));
      assertEquals(60 - node.arrived.size(), node.figures(B).hints(), "after " + accepted);
    }
  }

  /** The owners may be down as well: then the hint is the only copy of what was acknowledged. */
  @Test
  void aHintThatNoOwnerTakesIsKeptAndHandedOverLater() {
    node.keepAll(B, "one", "two", "three");
    node.movedKeys.add("two");
    node.owners.put(
        "two",
        CompletableFuture.failedFuture(
            new PeerFailure(PeerFailure.Code.NOT_SENT, "no owner is up")));
    node.comesBack(B);
    assertEquals(List.of(), node.handedOver);
    assertEquals("no owner is up", node.figures(B).lastFailure());
    assertEquals(0, node.hints.totals().handedOver());

    node.owners.clear();
    node.comesBack(B);
    assertEquals(List.of("two"), node.handedOver);
    assertTrue(node.arrived.containsAll(at(B, "one", "three")), node.arrived::toString);
    assertEquals(0, node.figures(B).bytes());
    node.keepAll(B, "later");
    node.comesBack(B);
    assertEquals(B + " later", node.arrived.get(node.arrived.size() - 1));
  }

  @Test
  void aHintThatItsOwnersRefuseIsDroppedAndTheOthersAreNot() {
    node.keepAll(B, "one", "two", "three");
    node.movedKeys.addAll(List.of("one", "two"));
    node.owners.put(
        "two",
        CompletableFuture.failedFuture(new PeerFailure(PeerFailure.Code.REFUSED, "too large")));
    node.comesBack(B);
    assertTrue(node.handedOver.contains("one"), node.handedOver::toString);
    assertFalse(node.handedOver.contains("two"), node.handedOver::toString);
    assertEquals(at(B, "three"), node.arrived.stream().distinct().toList());
    assertEquals(1, node.hints.totals().droppedRefused());
    assertEquals(0, node.figures(B).bytes());
  }

  @Test
  void aCrashWhileOwnersTakeAHintHandsItOverAgain() throws Exception {
    node.keepAll(B, "one");
    node.gone.add(B);
    node.owners.put("one", new CompletableFuture<>());
    node.hints.removed(B);
    node.scheduler.advance(Duration.ofSeconds(1));
    HintFixture next = node.restartOn(node.disk.crashClone());
    next.gone.add(B);
    next.hints.removed(B);
    next.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(List.of("one"), next.handedOver);
    assertEquals(List.of(), next.hints.figures());
  }

  @Test
  void forANodeThatIsAwayTooLongOnlyHintsThatBackAnAcknowledgementAreKept() {
    node.keepAll(B, "one");
    node.scheduler.advance(Duration.ofHours(4));
    assertRefused(node.keep(B, "two"), "longer than");
    var unused = node.keepSynced(B, "three");
    node.keepAll(C, "four");
    node.comesBack(B);
    assertEquals(at(B, "one", "three"), node.arrived);
    assertEquals(1, node.hints.totals().refused());
  }

  @Test
  void moreThanANodeMayHaveIsRefusedUntilSomeIsDelivered() {
    CompletableFuture<Void> last = node.keep(B, "first");
    for (int i = 0; i < 1_000 && !last.isCompletedExceptionally(); i++) {
      last = node.keep(B, "word" + i);
      node.scheduler.runUntilIdle();
    }
    assertRefused(last, "already");
    assertTrue(node.figures(B).bytes() <= 8 << 10, "" + node.figures(B));
    node.comesBack(B);
    node.keepAll(B, "again");
    node.comesBack(B);
    assertEquals(B + " again", node.arrived.get(node.arrived.size() - 1));
  }

  @Test
  void moreThanAllNodesMayHaveIsRefused() {
    for (String target : List.of(B, C)) {
      for (int i = 0; i < 1_000; i++) {
        node.keepAll(target, "word" + i);
      }
    }
    long bytes = node.figures(B).bytes() + node.figures(C).bytes();
    assertTrue(bytes > 11 << 10 && bytes <= 12 << 10, "" + bytes);
  }

  @Test
  void aQueueThatTheDiskDoesNotKeepUpWithRefuses() {
    CompletableFuture<Void> last = node.keep(B, "first");
    for (int i = 0; i < 1_000 && !last.isCompletedExceptionally(); i++) {
      last = node.keep(B, "word" + i);
    }
    assertRefused(last, "queue");
    assertTrue(node.hints.totals().queuedBytes() <= 16 << 10);
    node.scheduler.runUntilIdle();
    assertEquals(0, node.hints.totals().queuedBytes());
    node.keepAll(B, "again");
    node.comesBack(B);
    assertEquals(B + " again", node.arrived.get(node.arrived.size() - 1));
  }

  @Test
  void anIdThatIsNoNameOfADirectoryIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> node.keep("../x", "one"));
    assertThrows(IllegalArgumentException.class, () -> node.keep("", "one"));
    assertThrows(IllegalArgumentException.class, () -> node.keep("..", "one"));
  }

  static void assertRefused(CompletableFuture<Void> kept, String why) {
    assertTrue(kept.isCompletedExceptionally());
    CompletionException thrown = assertThrows(CompletionException.class, () -> kept.getNow(null));
    HintRefusedException refused = assertInstanceOf(HintRefusedException.class, thrown.getCause());
    assertTrue(String.valueOf(refused.getMessage()).contains(why), refused.getMessage());
  }

  @Test
  void whoIsNotGoneAnyMoreWhenItsTurnComesLosesNothing() {
    node.keepAll(B, "one");
    // Asked twice on the way to the delivery, and then for each hint.
    node.goneForQuestions = 2;
    node.hints.removed(B);
    node.scheduler.runUntilIdle();
    assertEquals(1, node.figures(B).hints());
    assertEquals(0, node.hints.totals().delivered());

    node.comesBack(B);
    assertEquals(at(B, "one"), node.arrived);
  }

  @Test
  void inAFamilyWithoutGraceNoHintBacksAnAcknowledgement() {
    assertTrue(node.hints.mayBack(node.word("one", POSTS, TAGS)));
    node.families.put(TAGS, 0L);
    assertFalse(node.hints.mayBack(node.word("one", POSTS, TAGS)));
    assertTrue(node.hints.mayBack(node.word("one", POSTS)));

    // Because that is its outcome.
    var unused = node.hints.keep(B, node.word("one", TAGS), true);
    node.comesBack(B);
    assertEquals(List.of(), node.arrived);
    assertEquals(1, node.hints.totals().droppedOld());
  }
}
