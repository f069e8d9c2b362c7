package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SizeClassQueueTest {

  private final SizeClassQueue<Integer> writes =
      new SizeClassQueue<>(Integer::longValue, write -> "family", 10);

  private List<Integer> take() {
    return writes.take(4, 20, 100);
  }

  @Test
  void aSmallWriteWaitsForOneTurnOfLargeOnes() {
    for (int i = 0; i < 50; i++) {
      writes.add(100 + i);
    }
    assertEquals(List.of(100), take());
    writes.add(1);
    assertEquals(List.of(1), take());
    assertEquals(List.of(101), take());
  }

  @Test
  void smallWritesGoFirstWhenNoLargeOneHasWaited() {
    writes.add(1);
    assertEquals(List.of(1), take());
    writes.add(100);
    writes.add(2);
    assertEquals(List.of(2), take());
    assertEquals(List.of(100), take());
  }

  @Test
  void largeWritesGoOnBesideSmallOnesWithoutEnd() {
    writes.add(100);
    writes.add(101);
    List<Integer> taken = new ArrayList<>();
    for (int turn = 0; turn < 4; turn++) {
      writes.add(1);
      taken.addAll(take());
    }
    assertTrue(taken.containsAll(List.of(100, 101)), taken.toString());
  }

  @Test
  void eachKindKeepsItsOrderAndNothingIsLost() {
    for (int i = 1; i <= 10; i++) {
      writes.add(i);
      writes.add(100 + i);
    }
    List<Integer> small = new ArrayList<>();
    List<Integer> large = new ArrayList<>();
    while (!writes.isEmpty()) {
      for (int write : take()) {
        (write > 10 ? large : small).add(write);
      }
    }
    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), small);
    assertEquals(List.of(101, 102, 103, 104, 105, 106, 107, 108, 109, 110), large);
  }

  @Test
  void aTurnIsBoundedByNumberAndByBytes() {
    for (int i = 0; i < 6; i++) {
      writes.add(1);
    }
    assertEquals(4, take().size());
    assertEquals(2, take().size());
    writes.add(10);
    writes.add(10);
    writes.add(10);
    assertEquals(List.of(10, 10), take());
    assertFalse(writes.isLargeNext());
    assertEquals(List.of(10), take());
    assertTrue(take().isEmpty());
  }

  @Test
  void aWriteWaitsForOneShareOfEachOtherFamilyOfItsSize() {
    SizeClassQueue<Long> mixed =
        new SizeClassQueue<>(bytes -> bytes, bytes -> bytes % 10, 100_000L);
    for (int i = 0; i < 500; i++) {
      mixed.add(1_001L);
      mixed.add(200_001L);
    }
    mixed.add(1_002L);
    mixed.add(200_002L);
    List<Long> small = mixed.take();
    assertTrue(small.indexOf(1_002L) >= 0 && small.indexOf(1_002L) < 20, small.toString());
    List<Long> large = new ArrayList<>(mixed.take());
    mixed.take();
    large.addAll(mixed.take());
    assertTrue(large.contains(200_002L), large.toString());
  }

  @Test
  void whatIsTakenOutOfTurnIsTakenOnce() {
    SizeClassQueue<Integer> mixed =
        new SizeClassQueue<>(Integer::longValue, write -> write % 3, 10);
    for (int i = 1; i <= 30; i++) {
      mixed.add(i);
    }
    List<Integer> even = mixed.takeIf(write -> write % 2 == 0);
    assertEquals(15, even.size());
    List<Integer> rest = new ArrayList<>();
    while (!mixed.isEmpty()) {
      rest.addAll(mixed.take());
    }
    assertEquals(15, rest.size());
    assertTrue(rest.stream().noneMatch(write -> write % 2 == 0), rest.toString());
    assertEquals(List.of(), mixed.takeIf(write -> true));
  }

  @Test
  void largeWritesThatAreHeldBackAreLeftWhileSmallOnesAreTaken() {
    List.of(100, 1, 200, 2).forEach(writes::add);
    writes.holdBackLarge(true);
    assertEquals(List.of(1, 2), writes.take());
    assertTrue(writes.isHeldBack());
    assertFalse(writes.isLargeNext());
    writes.holdBackLarge(false);
    assertFalse(writes.isHeldBack());
    assertEquals(List.of(100, 200), writes.take());
    assertTrue(writes.isEmpty());
  }
}
