package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SequenceSetTest {

  @Test
  void sequenceNumbersThatCountUpwardsTakeTheRoomOfOneRange() {
    SequenceSet set = new SequenceSet(2);
    for (long i = 0; i < 1_000; i++) {
      assertEquals(SequenceSet.AddOutcome.ADDED, set.add(i));
    }
    assertEquals(1, set.ranges());
    assertEquals(SequenceSet.AddOutcome.REPEATED, set.add(500));
    assertEquals(SequenceSet.AddOutcome.ADDED, set.add(-1));
    assertEquals(SequenceSet.AddOutcome.FULL, set.add(5_000));
    assertEquals(SequenceSet.AddOutcome.ADDED, set.add(1_000));
    assertEquals(SequenceSet.AddOutcome.REPEATED, set.add(-1));
  }
}
