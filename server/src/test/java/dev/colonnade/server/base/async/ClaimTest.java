package dev.colonnade.server.base.async;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ClaimTest {

  @Test
  void aSlotIsOnesAndFreeOnceItWasGivenBackHoweverOften() {
    Slot slot = new Slot();
    Claim first = slot.claim();
    assertNotNull(first);
    assertNull(slot.claim());
    first.close();
    Claim second = slot.claim();
    assertNotNull(second);
    first.close();
    assertTrue(slot.isTaken(), "a claim that was given back is not somebody else's");
    second.close();
    assertFalse(slot.isTaken());
  }

  @Test
  void placesAreBoundedAndCounted() {
    Places places = new Places(2);
    Claim first = places.claim();
    assertNotNull(first);
    assertNotNull(places.claim());
    assertNull(places.claim());
    assertEquals(2, places.taken());
    try (first) {
      assertThrows(
          NoClassDefFoundError.class,
          () -> {
            try (first) {
              throw new NoClassDefFoundError("in the middle of it");
            }
          });
    }
    assertEquals(1, places.taken());
  }

  @Test
  void aClaimOfWorkIsGivenBackHoweverThatEndsAndBeforeItsEndIsHeard() {
    for (Throwable end : List.of(new OutOfMemoryError("Cannot reserve"), new RuntimeException())) {
      Slot slot = new Slot();
      CompletableFuture<String> work = new CompletableFuture<>();
      List<Boolean> takenWhenHeard = new ArrayList<>();
      Claim claim = slot.claim();
      assertNotNull(claim);
      Then.whenDone(claim.until(work), (value, failure) -> takenWhenHeard.add(slot.isTaken()));
      assertTrue(slot.isTaken());
      work.completeExceptionally(end);
      assertEquals(List.of(false), takenWhenHeard);
    }
  }

  @Test
  void aCallerThatCancelsDoesNotKeepTheClaim() {
    Slot slot = new Slot();
    CompletableFuture<String> work = new CompletableFuture<>();
    Claim claim = slot.claim();
    assertNotNull(claim);
    assertTrue(claim.until(work).cancel(false));
    assertTrue(slot.isTaken(), "the work goes on");
    work.complete("done");
    assertFalse(slot.isTaken());
  }

  @Test
  void whatAContinuationThrowsFailsThePromise() {
    CompletableFuture<String> source = new CompletableFuture<>();
    CompletableFuture<String> promise = new CompletableFuture<>();
    Then.whenDone(
        source,
        promise,
        (value, failure) -> {
          throw new NoClassDefFoundError("a plug-in");
        });
    source.complete("value");
    assertTrue(promise.isCompletedExceptionally());
    assertThrows(
        RuntimeException.class,
        () -> Then.called(() -> CompletableFuture.failedFuture(new AssertionError())).join());
    assertTrue(
        Then.called(
                () -> {
                  throw new StackOverflowError();
                })
            .isCompletedExceptionally());
  }

  @Test
  void aLoopTakesOneTurnAtATimeAndAnotherForWhatCameMeanwhile() {
    List<String> turns = new ArrayList<>();
    SerialLoop[] loop = new SerialLoop[1];
    loop[0] =
        new SerialLoop(
            () -> {
              turns.add("turn");
              if (turns.size() < 3) {
                loop[0].wake();
                loop[0].wake();
              }
              turns.add("end");
            },
            thrown -> turns.add(String.valueOf(thrown.getMessage())));
    loop[0].wake();
    assertEquals(List.of("turn", "end", "turn", "end"), turns);
  }

  @Test
  void aTurnThatThrowsIsReportedAndTheNextOneRuns() {
    List<String> heard = new ArrayList<>();
    SerialLoop loop =
        new SerialLoop(
            () -> {
              if (heard.isEmpty()) {
                throw new OutOfMemoryError("Cannot reserve 1 bytes of direct buffer memory");
              }
              heard.add("turn");
            },
            thrown -> heard.add("failed"));
    loop.wake();
    loop.wake();
    assertEquals(List.of("failed", "turn"), heard);
  }
}
