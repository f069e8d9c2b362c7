package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WriteLanesTest {

  private final WriteLanes<Integer> lanes = new WriteLanes<>(Integer::longValue, 10);

  private List<Integer> take() {
    return lanes.take(4, 20, 100);
  }

  @Test
  void aSmallWriteWaitsForOneTurnOfLargeOnes() {
    for (int i = 0; i < 50; i++) {
      lanes.add(100 + i);
    }
    assertEquals(List.of(100), take());
    lanes.add(1);
    assertEquals(List.of(1), take());
    assertEquals(List.of(101), take());
  }

  @Test
  void smallWritesGoFirstWhenNoLargeOneHasWaited() {
    lanes.add(1);
    assertEquals(List.of(1), take());
    lanes.add(100);
    lanes.add(2);
    assertEquals(List.of(2), take());
    assertEquals(List.of(100), take());
  }

  @Test
  void largeWritesGoOnBesideSmallOnesWithoutEnd() {
    lanes.add(100);
    lanes.add(101);
    List<Integer> taken = new ArrayList<>();
    for (int turn = 0; turn < 4; turn++) {
      lanes.add(1);
      taken.addAll(take());
    }
    assertTrue(taken.containsAll(List.of(100, 101)), taken.toString());
  }

  @Test
  void eachKindKeepsItsOrderAndNothingIsLost() {
    for (int i = 1; i <= 10; i++) {
      lanes.add(i);
      lanes.add(100 + i);
    }
    List<Integer> small = new ArrayList<>();
    List<Integer> large = new ArrayList<>();
    while (!lanes.isEmpty()) {
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
      lanes.add(1);
    }
    assertEquals(4, take().size());
    assertEquals(2, take().size());
    lanes.add(10);
    lanes.add(10);
    lanes.add(10);
    assertEquals(List.of(10, 10), take());
    assertFalse(lanes.isLargeNext());
    assertEquals(List.of(10), take());
    assertTrue(take().isEmpty());
  }
}
